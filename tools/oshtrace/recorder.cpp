// Records the calls of this PE, and writes the timeline before the library is finalised.
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>  // lock_guard
#include <unordered_map>

#include "library.hpp"
#include "record.hpp"

namespace oshtrace {

std::uint64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

namespace {

constexpr std::size_t usual_calls = std::size_t{1} << 20;

std::size_t most_calls() {
  const char* text = std::getenv("OSHEN_TRACE_CALLS");
  const unsigned long long requested = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  return requested != 0 ? requested : usual_calls;
}

// The memory image of the program: its static data has the same offset from the image's start in every process.
struct image {
  std::uintptr_t base = 0, begin = UINTPTR_MAX, end = 0;
};

int look_at_program(dl_phdr_info* info, std::size_t, void* found) {
  auto& program = *static_cast<image*>(found);
  program.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    program.begin = begin < program.begin ? begin : program.begin;
    program.end = begin + info->dlpi_phdr[i].p_memsz > program.end ? begin + info->dlpi_phdr[i].p_memsz : program.end;
  }
  return 1;  // the first object is the program
}

// No std::mutex: the race detector would take it for synchronisation of the program.
class quick_lock {
 public:
  void lock() {
    while (busy_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { busy_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> busy_{false};
};

class recorder {
 public:
  void start() {
    const std::lock_guard hold(lock_);
    if (std::getenv("OSHEN_TRACE") == nullptr) return;
    if (program_.end == 0) dl_iterate_phdr(look_at_program, &program_);
    most_ = most_calls();
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    mine_.host = host;
    void* const in_heap = LIBRARY(shmem_malloc)(8);
    heap_ = reinterpret_cast<std::uintptr_t>(in_heap);
    LIBRARY(shmem_free)(in_heap);
    const clock_reading reading = compare_clocks();
    if (mine_.first.at == 0) mine_.first = reading;
    on.store(true, std::memory_order_release);
  }

  void add_call(std::uint64_t began, const void* caller, const oshtrace_call& call) {
    const std::uint64_t ended = now();
    const std::lock_guard hold(lock_);
    if (mine_.records.size() >= most_) {
      ++mine_.dropped;
      return;
    }
    mine_.records.push_back({.began = began,
                             .ended = ended,
                             .bytes = call.bytes,
                             .object = object_number(call.object),
                             .signal = object_number(call.signal),
                             .group = call.group,
                             .caller = offset_in_program(caller),
                             .name = index_of(call.name),
                             .pe = call.pe,
                             .context = context_of(call.ctx),
                             .thread = own_thread(),
                             .kind = static_cast<std::uint8_t>(call.kind),
                             .unused = 0});
  }

  void add_race(const char* report, int pe, std::uint64_t offset) {
    const std::uint64_t met = now();
    const std::lock_guard hold(lock_);
    mine_.names.emplace_back(report);
    mine_.records.push_back({.began = met,
                             .ended = met,
                             .bytes = 0,
                             .object = no_object,
                             .signal = no_object,
                             .group = 0,
                             .caller = offset,
                             .name = static_cast<std::uint32_t>(mine_.names.size() - 1),
                             .pe = pe,
                             .context = 0,
                             .thread = own_thread(),
                             .kind = static_cast<std::uint8_t>(oshtrace_race),
                             .unused = 0});
  }

  void stop() {
    if (!on.exchange(false)) return;
    LIBRARY(shmem_barrier_all)();
    mine_.last = compare_clocks();
    const std::vector<pe_trace> all = gather(mine_);
    const char* const path = std::getenv("OSHEN_TRACE");
    if (all.empty() || path == nullptr) return;
    if (!write_timeline(path, all)) std::fprintf(stderr, "oshtrace: cannot write %s: %s\n", path, std::strerror(errno));
    std::uint64_t dropped = 0;
    for (const pe_trace& one : all) dropped += one.dropped;
    if (dropped != 0)
      std::fprintf(stderr, "oshtrace: %llu calls are not in %s: more than %zu of one PE (OSHEN_TRACE_CALLS)\n",
                   static_cast<unsigned long long>(dropped), path, most_);
  }

  std::atomic<bool> on{false};

 private:
  std::int64_t object_number(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (at == 0) return no_object;
    if (program_.begin <= at && at < program_.end) return static_cast<std::int64_t>(at - program_.base) - INT64_MAX / 2;
    return static_cast<std::int64_t>(at - heap_);
  }
  std::uint64_t offset_in_program(const void* caller) const {
    const auto at = reinterpret_cast<std::uintptr_t>(caller);
    return program_.begin <= at && at < program_.end ? at - program_.base : 0;
  }
  std::uint32_t index_of(const char* name) {
    const auto [at, fresh] = names_.try_emplace(name, static_cast<std::uint32_t>(mine_.names.size()));
    if (fresh) mine_.names.emplace_back(name);
    return at->second;
  }
  std::uint32_t context_of(void* ctx) {
    if (ctx == nullptr || ctx == static_cast<void*>(SHMEM_CTX_DEFAULT)) return 0;
    return contexts_.try_emplace(ctx, static_cast<std::uint32_t>(contexts_.size() + 1)).first->second;
  }
  std::uint16_t own_thread() {
    static thread_local const std::uint16_t number = threads_++;
    return number;
  }

  quick_lock lock_;
  pe_trace mine_;
  std::size_t most_ = usual_calls;
  image program_;
  std::uintptr_t heap_ = 0;
  std::unordered_map<const char*, std::uint32_t> names_;
  std::map<void*, std::uint32_t> contexts_;
  std::uint16_t threads_ = 0;
};

// Never destroyed: exit handlers may make calls.
recorder& the_recorder() {
  static recorder* one = new recorder;
  return *one;
}

thread_local int depth = 0;
thread_local const void* outermost_caller = nullptr;

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  return (seed ^ (value + 1)) * 0x9e3779b97f4a7c15u ^ seed >> 29;
}

}  // namespace
}  // namespace oshtrace

extern "C" {

uint64_t oshtrace_enter(const void* caller) {
  const bool outermost = ++oshtrace::depth == 1;
  if (outermost) oshtrace::outermost_caller = caller;
  return outermost && oshtrace::the_recorder().on.load(std::memory_order_acquire) ? oshtrace::now() : 0;
}

void oshtrace_leave(uint64_t began, const oshtrace_call* call) {
  const void* const caller = oshtrace::outermost_caller;
  if (--oshtrace::depth == 0) oshtrace::outermost_caller = nullptr;
  if (began != 0) oshtrace::the_recorder().add_call(began, caller, *call);
}

const void* oshtrace_caller(void) { return oshtrace::outermost_caller; }

void oshtrace_add_race(const char* report, int pe, uint64_t offset) {
  if (oshtrace::the_recorder().on.load(std::memory_order_acquire))
    oshtrace::the_recorder().add_race(report, pe, offset);
}

void* oshtrace_next(const char* profiling_name, const char* name) {
  static void* const detector = dlopen("liboshen-races.so", RTLD_LAZY | RTLD_NOLOAD);
  void* const found = detector != nullptr ? dlsym(detector, name) : nullptr;
  return found != nullptr ? found : oshen_next_function(profiling_name, name);
}

int oshtrace_pe(void* ctx, int pe) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  if (ctx == nullptr || ctx == static_cast<void*>(SHMEM_CTX_DEFAULT)) return pe;
  if (LIBRARY(shmem_ctx_get_team)(static_cast<shmem_ctx_t>(ctx), &team) != 0) return -1;
  return oshtrace_member(team, pe);
}

int oshtrace_member(void* team, int pe) {
  return LIBRARY(shmem_team_translate_pe)(static_cast<shmem_team_t>(team), pe, SHMEM_TEAM_WORLD);
}

// A hash of the members.
uint64_t oshtrace_group(void* team) {
  if (!oshtrace::the_recorder().on.load(std::memory_order_acquire)) return 0;
  const int n = LIBRARY(shmem_team_n_pes)(static_cast<shmem_team_t>(team));
  uint64_t group = 1;
  for (int pe = 0; pe < n; ++pe) group = oshtrace::mix(group, static_cast<uint64_t>(oshtrace_member(team, pe)));
  return group;
}

uint64_t oshtrace_active_set(int start, int log_stride, int size) {
  return oshtrace::mix(oshtrace::mix(oshtrace::mix(2, static_cast<uint64_t>(start)), static_cast<uint64_t>(log_stride)),
                       static_cast<uint64_t>(size));
}

void oshtrace_start(void) {
  oshtrace::the_recorder().start();
  std::atexit(oshtrace_stop);  // for programs that do not call shmem_finalize
}

void oshtrace_stop(void) { oshtrace::the_recorder().stop(); }
}
