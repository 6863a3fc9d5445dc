#include "threads.hpp"

#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <mutex>

#include "detector.hpp"
#include "interpose.hpp"

namespace races {

thread_state first_thread;
constinit thread_local thread_state* current_thread __attribute__((tls_model("initial-exec"))) = &first_thread;

namespace {

// The knowledge that threads left at an object. If there are too many, some share an entry, which only hides races. The
// mutex of the detector protects them.
struct told_object {
  const void* object = nullptr;
  thread_knowledge told;
};
std::array<told_object, 1 << 12> entries;

told_object& entry_of(const void* object) {
  const std::size_t first = (reinterpret_cast<std::uintptr_t>(object) * 0x9e3779b97f4a7c15u >> 40) % entries.size();
  constexpr std::size_t most_probes = 64;
  for (std::size_t i = 0; i < most_probes; ++i) {
    told_object& e = entries[(first + i) % entries.size()];
    if (e.object == nullptr) e.object = object;
    if (e.object == object) return e;
  }
  return entries[first];
}

spin_lock threads_mutex;
std::array<thread_state, most_threads> others;  // by their numbers; 0 is the first thread
std::array<bool, most_threads> in_use;
std::uint32_t last_id = 0;
std::atomic<bool> as_one = false, ever_several = false;

std::array<thread_state, most_parts> parts;
struct use_of_part {
  bool now = false;
  std::uint32_t last_clock = 0;  // of its last part
};
std::array<use_of_part, most_parts> parts_in_use;
std::uint32_t last_part = 0;

std::atomic<int> sharing = 0;

// The next free number after the last one, so that a number rests before it is used again; the first thread if there
// is none.
thread_state* take_state() {
  for (std::uint32_t i = 1; i < most_threads; ++i) {
    const std::uint32_t id = 1 + (last_id - 1 + i) % (most_threads - 1);
    if (in_use[id]) continue;
    in_use[id] = true;
    last_id = others[id].id = id;
    return &others[id];
  }
  of_this_pe.shared().set_full(limits::threads);
  return nullptr;
}

// At the end of a thread its number is free again, and it tells the thread that joins it.
struct end_of_thread {
  std::uint32_t id = 0;
  ~end_of_thread() {
    if (id == 0) return;
    if (of_this_pe.active()) release_to_threads(thread_object(pthread_self()));
    const std::scoped_lock lock(threads_mutex);
    current_thread = &first_thread;
    in_use[id] = false;
  }
};
thread_local end_of_thread at_end;

// The thread-local variables of the executable, which are those next to the thread pointer.
int find_thread_variables(dl_phdr_info* info, std::size_t, void* out) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& h = info->dlpi_phdr[i];
    if (h.p_type == PT_TLS && info->dlpi_tls_data != nullptr)
      *static_cast<extent*>(out) = {reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data), h.p_memsz};
  }
  return 1;  // the executable comes first
}

}  // namespace

memory_of_thread& memory_of_this_thread() {
  static constinit thread_local memory_of_thread found __attribute__((tls_model("initial-exec"))){};
  if (found.stack_end != 0) return found;
  found.stack_end = 1;  // the calls below come back here
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* start = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &start, &bytes);
    pthread_attr_destroy(&attributes);
    found.stack_start = reinterpret_cast<std::uintptr_t>(start);
    found.stack_end = found.stack_start + bytes;
  }
  extent variables;
  dl_iterate_phdr(find_thread_variables, &variables);
  found.variables_start = variables.start;
  found.variables_end = variables.start + variables.bytes;
  return found;
}

void begin_first_thread(std::uint32_t pes) {
  first_thread.memory.begin(pes);
  first_thread.use_own_memory();
  for (told_object& e : entries) e.object = nullptr, e.told = {};
}

void begin_thread(const thread_knowledge& creator) {
  {
    const std::scoped_lock lock(threads_mutex);
    thread_state* state = as_one ? nullptr : take_state();
    if (state == nullptr) return;
    state->memory.begin(of_this_pe.pes());
    state->use_own_memory();
    at_end.id = state->id;
    current_thread = state;
    ever_several = true;
  }
  // Another thread may have had this stack.
  const memory_of_thread& mine = memory_of_this_thread();
  of_this_pe.forget_private(mine.stack_start, mine.stack_end - mine.stack_start);
  learn(creator);
}

void count_threads_as_one() {
  const std::scoped_lock lock(threads_mutex);
  if (as_one.exchange(true)) return;
  for (thread_state& state : others) {
    if (state.memory.is_empty()) continue;
    first_thread.join(state.memory);
    state.id = 0;
    state.own = first_thread.own;
    state.done = first_thread.done;
  }
  for (std::uint32_t strand = 0; strand < most_strands; ++strand)
    first_thread.own.raise_program(of_this_pe.me(), strand, of_this_pe.clock());
}

bool several_threads() { return ever_several.load(std::memory_order_relaxed); }
bool are_threads_one() { return as_one.load(std::memory_order_relaxed); }

thread_state* take_part(const thread_knowledge& creator) {
  const std::scoped_lock lock(threads_mutex);
  if (as_one) return nullptr;
  std::uint32_t found = most_parts;
  for (std::uint32_t i = 0; i < most_parts; ++i) {
    const std::uint32_t part = (last_part + 1 + i) % most_parts;
    const use_of_part& use = parts_in_use[part];
    if (use.now) continue;
    if (found == most_parts) found = part;
    if (creator.all.program(of_this_pe.me(), most_threads + part) < use.last_clock) continue;
    found = part;
    break;
  }
  if (found == most_parts) return nullptr;
  last_part = found;
  parts_in_use[found].now = true;
  ever_several = true;
  thread_state& part = parts[found];
  part.id = part.owner = most_threads + found;
  part.is_part = true;
  part.locks = 0;
  part.held.clear();
  part.memory.begin(of_this_pe.pes());
  part.use_own_memory();
  part.join(creator);
  return &part;
}

void give_part(const thread_state& part, std::uint32_t clock) {
  const std::scoped_lock lock(threads_mutex);
  parts_in_use[part.id - most_threads] = {false, clock};
}

void tell(thread_knowledge& object) {
  const std::scoped_lock lock(of_this_pe.mutex());
  of_this_pe.tell(object);
}
void learn(const thread_knowledge& object) {
  const std::scoped_lock lock(of_this_pe.mutex());
  if (!object.is_empty()) this_thread().join(object);
}

void release_to_threads(const void* object) {
  const std::scoped_lock lock(of_this_pe.mutex());
  of_this_pe.tell(entry_of(object).told);
}
void acquire_from_threads(const void* object) {
  const std::scoped_lock lock(of_this_pe.mutex());
  if (const thread_knowledge& told = entry_of(object).told; !told.is_empty()) this_thread().join(told);
}

namespace {

// The first locks of a program have bits of their own. Locks with the same bit count as one, which only hides races.
std::uint32_t bit_of(const void* lock) {
  static std::array<const void*, 5> first_locks;
  const std::scoped_lock guard(threads_mutex);
  for (std::uint32_t i = 0; i < first_locks.size(); ++i) {
    if (first_locks[i] == nullptr) first_locks[i] = lock;
    if (first_locks[i] == lock) return 1u << i;
  }
  return 1u << first_locks.size();
}

void update_locks(thread_state& state) {
  state.locks = 0;
  for (const held_lock& h : state.held) state.locks |= h.bit;
}

}  // namespace

void lock_taken(const void* lock) {
  thread_state& state = this_thread();
  if (!in_region()) return acquire_from_threads(lock);
  held_lock held{lock, bit_of(lock), {}};
  if (!state.is_part) {
    acquire_from_threads(lock);
  } else {
    const std::scoped_lock guard(of_this_pe.mutex());
    if (const thread_knowledge& told = entry_of(lock).told; !told.is_empty()) {
      held.tells.begin(of_this_pe.pes());
      held.tells.join(told);
    }
  }
  state.held.push_back(std::move(held));
  update_locks(state);
}

void lock_given(const void* lock) {
  release_to_threads(lock);
  thread_state& state = this_thread();
  const auto last =
      std::find_if(state.held.rbegin(), state.held.rend(), [=](const held_lock& h) { return h.lock == lock; });
  if (last == state.held.rend()) return;
  state.held.erase(std::next(last).base());
  update_locks(state);
}

void begin_sharing() {
  if (++sharing == 1) of_this_pe.watch();
}
void end_sharing() {
  if (--sharing == 0) of_this_pe.watch();
}
bool is_sharing() { return sharing.load(std::memory_order_relaxed) != 0; }

}  // namespace races
