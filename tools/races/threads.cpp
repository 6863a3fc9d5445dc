#include "threads.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <mutex>

#include "detector.hpp"

namespace races {

thread_state first_thread;
constinit thread_local thread_state* current_thread __attribute__((tls_model("initial-exec"))) = &first_thread;

namespace {

// The knowledge that threads left at an object. Objects with equal hashes share an entry, which only hides races.
// The mutex of the detector protects them.
std::array<std::vector<std::uint32_t>, 1024> told;

std::vector<std::uint32_t>& entry_of(const void* object) {
  return told[(reinterpret_cast<std::uintptr_t>(object) * 0x9e3779b97f4a7c15u >> 40) % told.size()];
}

spin_lock threads_mutex;
std::array<thread_state, most_threads> others;  // by their numbers; 0 is the first thread
std::array<bool, most_threads> in_use;
std::uint32_t last_id = 0;
std::atomic<bool> as_one = false, ever_several = false;

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

}  // namespace

void begin_first_thread(std::uint32_t pes) {
  first_thread.words.assign(knowledge::words_for(pes), 0);
  first_thread.own = knowledge(first_thread.words.data(), pes);
  for (std::vector<std::uint32_t>& words : told) words.clear();
}

void begin_thread(const void* object) {
  {
    const std::scoped_lock lock(threads_mutex);
    thread_state* state = as_one ? nullptr : take_state();
    if (state == nullptr) return;
    state->words.assign(first_thread.words.size(), 0);
    state->own = knowledge(state->words.data(), of_this_pe.pes());
    at_end.id = state->id;
    current_thread = state;
    ever_several = true;
  }
  acquire_from_threads(object);
}

void count_threads_as_one() {
  const std::scoped_lock lock(threads_mutex);
  if (as_one.exchange(true)) return;
  for (thread_state& state : others) {
    if (state.words.empty()) continue;
    first_thread.own.join(state.own);
    state.id = 0;
    state.own = first_thread.own;
  }
  for (std::uint32_t thread = 0; thread < most_threads; ++thread)
    first_thread.own.program(of_this_pe.me(), thread) = of_this_pe.clock();
}

bool several_threads() { return ever_several.load(std::memory_order_relaxed); }

void release_to_threads(const void* object) {
  std::vector<std::uint32_t>& words = entry_of(object);
  const std::scoped_lock lock(of_this_pe.mutex());
  if (words.empty()) words.assign(knowledge::words_for(of_this_pe.pes()), 0);
  of_this_pe.tell({words.data(), of_this_pe.pes()});
}

void acquire_from_threads(const void* object) {
  std::vector<std::uint32_t>& words = entry_of(object);
  const std::scoped_lock lock(of_this_pe.mutex());
  if (!words.empty()) this_thread().own.join({words.data(), of_this_pe.pes()});
}

}  // namespace races
