// Initialisation and finalisation, any number of times (OpenSHMEM 1.6, 9.1; design/start-up.md).
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <new>

#include "allocation/symmetric_heap.hpp"
#include "api/handle.hpp"
#include "base/log.hpp"
#include "base/names.hpp"
#include "bootstrap/callbacks.hpp"
#include "bootstrap/find.hpp"
#include "bootstrap/open_managers.hpp"
#include "coll/nonblocking/engine.hpp"
#include "coll/run/chaos.hpp"
#include "coll/select/selection.hpp"
#include "op/order.hpp"
#include "os/process.hpp"
#include "settings_table.hpp"
#include "startup/startup.hpp"

namespace oshen::api {
namespace {

constinit bootstrap::callbacks callbacks;

constinit os::mutex life;  // initialisation and finalisation exclude each other
int times_initialised = 0;
int owner_pid = 0;  // a child made by fork() must not finalise its parent's world
bool handlers_installed = false;
bool fork_handler_installed = false;
bool was_initialised = false;
alignas(world) std::byte world_storage[sizeof(world)];

void print_help() {
  puts("Settings of Oshen (environment variables):");
  for (const setting_row& row : settings_table) {
    printf("  %-24s %s", row.name, row.about);
    if (*row.fallback != '\0') printf(" (default: %s)", row.fallback);
    if (*row.alias != '\0') printf("; older name: %s", row.alias);
    putchar('\n');
  }
  fflush(stdout);
}

// Prints the information that the environment requests, on PE 0.
void print_information(const world& w) {
  if (w.pe != 0) return;
  name_unknown_variables(settings_table);
  if (w.config.show_version) {
    printf("%s, OpenSHMEM %d.%d\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
    fflush(stdout);
  }
  if (w.config.show_help) print_help();
}

void leave_behind() {
  set_current(nullptr);
  times_initialised = 0;
}

// After this, any call of the library in the child is an error, and cannot change its parent's world.
void in_child() {
  if (times_initialised == 0) return;
  is_child_of_pe = true;
  leave_behind();
}

// Records that the process is in exit(). It runs before all handlers that were registered earlier and before
// destructors of static objects.
void note_exit(int exit_status, void*) { failing_with.store(exit_status & 0xff, std::memory_order_relaxed); }

status install_handlers() {
  if (handlers_installed) return status::ok;
  handlers_installed = on_exit(note_exit, nullptr) == 0;
  if (handlers_installed) return status::ok;
  log::error("cannot install an exit handler");
  return status::no_memory;
}

// Called after static data has installed its fork handler. In a statically linked program the library's variables are
// symmetric, and in a child they are shared with the parent until that handler has run.
status install_fork_handler() {
  if (fork_handler_installed) return status::ok;
  fork_handler_installed = pthread_atfork(nullptr, nullptr, in_child) == 0;
  if (fork_handler_installed) return status::ok;
  log::error("cannot install a handler for fork()");
  return status::no_memory;
}

status open(bootstrap::launcher& launcher, const settings& config, int thread_level) {
  log::speak_as(launcher.pe);
  auto* w = new (world_storage) world;
  w->thread_level = thread_level;
  if (const status s = coll::read_tuning(w->tuning, launcher.pe == 0); failed(s)) return s;
  w->tuning_digest = w->tuning->digest;
  w->digest_with_machine = w->tuning->digest_of_both;
  if (const status s = open_world(*w, launcher, config); failed(s)) return s;
  if (const status s = install_fork_handler(); failed(s)) return s;
  if (!w->machine_agrees) coll::leave_out_machine_file(*w->tuning);
  coll::forget_choices(w->team_world);
  coll::forget_choices(w->team_shared);
  coll::watch_as_set(*w);
  owner_pid = os::own_pid();
  set_current(w);
  was_initialised = true;
  print_information(*w);
  return status::ok;
}

// Finds the launcher if `launcher` is null.
status begin(bootstrap::launcher* launcher, int thread_level) {
  if (is_child_of_pe) {
    log::error("shmem_init: called in a child that a PE made by fork(); such a child cannot be a PE");
    return status::no_launcher;
  }
  if (const status s = install_handlers(); failed(s)) return s;
  settings config;
  if (const status s = read_settings(config); failed(s)) return s;
  log::enable_debug(config.debug);
  if (launcher == nullptr)
    if (const status s = bootstrap::find_launcher(
            launcher, {config.wait_warn_seconds, config.wait_abort_seconds, config.start_limit_seconds});
        failed(s))
      return s;
  return open(*launcher, config, thread_level);
}

status begin_or_count(bootstrap::launcher* launcher, int thread_level) {
  os::locked hold(life);
  const status s = times_initialised > 0 ? status::ok : begin(launcher, thread_level);
  if (!failed(s)) ++times_initialised;
  return s;
}

void end_library() {
  world& w = *current_world;
  // Contexts that the program has not destroyed end here, with their operations (OpenSHMEM 1.6, shmem_finalize).
  w.contexts.each([](context& c) { op::quiet({&c, "shmem_finalize"}); });
  // Lines come before the barrier: a PE that has left it may end the job.
  report_refusals(w);
  coll::async::report_unclaimed(w, "shmem_finalize");
  coll::barrier_all("shmem_finalize");
  log::debug("shutdown");
  set_current(nullptr);
  close_world(w);
  w.~world();
}

// Every finalisation has one barrier, whether the program or the end of the process causes it. So a PE that ends
// without finalising synchronises with PEs that call shmem_finalize.
void finalize_once(const char* routine) {
  if (times_initialised > 1) coll::barrier_all(routine);
  if (--times_initialised == 0) end_library();
}

bool must_not_wait() { return leaving.load() || failing_with.load() != 0; }

// For a program that ends without finalising. If its status is 0, it is finalised now, together with its peers.
// Otherwise it does not wait for them, and the launcher sees the status. This runs after all exit handlers and
// destructors of the program, which may still call the library.
[[gnu::destructor]] void finalize_at_exit() {
  if (failing_with.load() != 0) return;
  if (owner_pid == os::own_pid() && !leaving.load())
    while (times_initialised > 0) finalize_once("shmem_finalize");
  bootstrap::finish_managers_at_exit();
}

int granted(int requested) {
  return requested < SHMEM_THREAD_SINGLE     ? SHMEM_THREAD_SINGLE
         : requested > SHMEM_THREAD_MULTIPLE ? SHMEM_THREAD_MULTIPLE
                                             : requested;
}

// True if a newer program leaves at 0 what this library does not know.
bool knows_all(const shmemx_init_attr_t& attr) {
  const auto* const first = reinterpret_cast<const char*>(&attr);
  return attr.size >= sizeof attr &&
         std::all_of(first + sizeof attr, first + attr.size, [](char byte) { return byte == 0; });
}

}  // namespace

void init(const char*) {
  if (failed(begin_or_count(nullptr, SHMEM_THREAD_SINGLE))) end_job(nullptr, 1, false);
}

int init_thread(const char*, int requested, int* provided) {
  const status s = begin_or_count(nullptr, granted(requested));
  if (failed(s)) return static_cast<int>(s);
  *provided = current_world->thread_level;
  return 0;
}

int init_attr(const char* routine, shmemx_init_attr_t* attr) {
  if (attr == nullptr || !knows_all(*attr)) {
    log::error("%s: attr->size: expected sizeof(shmemx_init_attr_t) = %zu, or more and 0 in the further members",
               routine, sizeof(shmemx_init_attr_t));
    return static_cast<int>(status::boot_failed);
  }
  status s = status::ok;
  if (times_initialised == 0) s = callbacks.join(*attr);
  if (!failed(s)) s = begin_or_count(&callbacks, granted(attr->requested));
  if (failed(s)) return static_cast<int>(s);
  attr->provided = current_world->thread_level;
  return 0;
}

// Further calls do nothing. The end of the program finalises the library.
void start_pes(const char* routine, int) {
  if (current_world == nullptr) init(routine);
}

void finalize(const char* routine) {
  if (!was_initialised) require_world(routine);
  if (current_world == nullptr || owner_pid != os::own_pid()) {
    log::debug("%s: ignored: %s", routine,
               current_world == nullptr && !is_child_of_pe ? "the library is finalised already"
                                                           : "a child made by fork() is not a PE");
    return;
  }
  os::locked hold(life);
  if (must_not_wait()) return leave_behind();
  if (times_initialised > 0) finalize_once(routine);
}

// The system keeps eight bits of a status; a status that is not 0 must not become 0.
void global_exit(const char* routine, int status) {
  world& w = require_world(routine);
  end_job(&w, status != 0 && (status & 0xff) == 0 ? 1 : status, true);
}

void query_initialized(const char*, int* initialized) { *initialized = current_world != nullptr ? 1 : 0; }

void query_thread(const char*, int* provided) {
  *provided = current_world != nullptr ? current_world->thread_level : SHMEM_THREAD_SINGLE;
}

}  // namespace oshen::api
