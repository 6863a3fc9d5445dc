// Initialisation and finalisation, any number of times (OpenSHMEM 1.6, 9.1; design/start-up.md).
#include <stdio.h>
#include <stdlib.h>

#include <new>

#include "api/handle.hpp"
#include "base/log.hpp"
#include "boot/callbacks.hpp"
#include "boot/environment.hpp"
#include "boot/oshrun.hpp"
#include "boot/single.hpp"
#include "coll/chaos.hpp"
#include "coll/selection.hpp"
#include "os/process.hpp"
#include "settings_table.hpp"

namespace oshen::api {
namespace {

// The launchers keep no memory between jobs, so one object of each kind serves every initialisation.
constinit boot::single single;
constinit boot::oshrun oshrun;
constinit boot::callbacks callbacks;

constinit os::mutex life;              // initialisation and finalisation exclude each other
int times_initialised = 0;
int owner_pid = 0;                     // a child made by fork() must not finalise its parent's world
bool exit_handler_installed = false;
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

void introduce(const world& w) {
  if (w.pe != 0) return;
  if (w.config.show_version) {
    printf("%s, OpenSHMEM %d.%d\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
    fflush(stdout);
  }
  if (w.config.show_help) print_help();
}

status find_launcher(boot::boot*& launcher) {
  if (boot::started_by_oshrun()) {
    launcher = &oshrun;
    return oshrun.join();
  }
  const boot::foreign_launcher foreign = boot::find_foreign_launcher();
  if (foreign.name != nullptr && foreign.size != 1) {
    char size[32] = "several";
    if (foreign.size > 0) snprintf(size, sizeof size, "%d", foreign.size);
    log::error("started by %s (%s is set) as one of %s processes, which this release cannot join; %s", foreign.name,
               foreign.variable, size, foreign.advice);
    return status::no_launcher;
  }
  launcher = &single;
  return status::ok;
}

void at_exit(int exit_status, void*);

status open(boot::boot& launcher, const settings& config, int thread_level) {
  log::speak_as(launcher.pe);
  auto* w = new (world_storage) world;
  if (const status s = coll::read_preferences(w->preferences); failed(s)) return s;
  w->preferences_digest = w->preferences->digest;
  if (const status s = open_world(*w, launcher, config); failed(s)) return s;
  w->thread_level = thread_level;
  coll::forget_choices(w->team_world);
  coll::forget_choices(w->team_shared);
  coll::watch_as_set(*w);
  owner_pid = os::own_pid();
  set_current(w);
  if (!exit_handler_installed) exit_handler_installed = on_exit(at_exit, nullptr) == 0;
  introduce(*w);
  return status::ok;
}

// `launcher` is null when it is to be found.
status begin(boot::boot* launcher, int thread_level) {
  settings config;
  if (const status s = read_settings(config); failed(s)) return s;
  log::enable_debug(config.debug);
  if (launcher == nullptr)
    if (const status s = find_launcher(launcher); failed(s)) return s;
  return open(*launcher, config, thread_level);
}

status begin_or_count(boot::boot* launcher, int thread_level) {
  os::locked hold(life);
  const status s = times_initialised > 0 ? status::ok : begin(launcher, thread_level);
  if (!failed(s)) ++times_initialised;
  return s;
}

void end_for_good() {
  world& w = *current_world;
  coll::barrier_all("shmem_finalize");
  log::debug("shutdown");
  set_current(nullptr);
  close_world(w);
  w.~world();
}

// A program that ends without finalising: with status 0 it finalises now, with its peers; otherwise something
// went wrong and nobody is waited for: the launcher sees the status.
void at_exit(int exit_status, void*) {
  if (times_initialised == 0 || owner_pid != os::own_pid() || exit_status != 0) return;
  if (leaving.exchange(true)) return;
  end_for_good();
  times_initialised = 0;
}

int granted(int requested) {
  return requested < SHMEM_THREAD_SINGLE ? SHMEM_THREAD_SINGLE
         : requested > SHMEM_THREAD_MULTIPLE ? SHMEM_THREAD_MULTIPLE : requested;
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
  if (attr == nullptr || attr->size < sizeof(shmemx_init_attr_t)) {
    log::error("%s: attr->size: expected sizeof(shmemx_init_attr_t) = %zu", routine, sizeof(shmemx_init_attr_t));
    return static_cast<int>(status::boot_failed);
  }
  status s = status::ok;
  if (times_initialised == 0) s = callbacks.join(*attr);
  if (!failed(s)) s = begin_or_count(&callbacks, granted(attr->requested));
  if (failed(s)) return static_cast<int>(s);
  attr->provided = current_world->thread_level;
  return 0;
}

// Any further call does nothing; the end of the program finalises.
void start_pes(const char* routine, int) {
  if (current_world == nullptr) init(routine);
}

void finalize(const char* routine) {
  require_world(routine);
  coll::barrier_all(routine);
  os::locked hold(life);
  if (--times_initialised == 0) end_for_good();
}

void global_exit(const char* routine, int status) { end_job(&require_world(routine), status, true); }

void query_initialized(const char*, int* initialized) { *initialized = current_world != nullptr ? 1 : 0; }

void query_thread(const char*, int* provided) {
  *provided = current_world != nullptr ? current_world->thread_level : SHMEM_THREAD_SINGLE;
}

}  // namespace oshen::api
