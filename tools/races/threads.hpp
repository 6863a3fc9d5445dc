// The threads of this PE, and the parts of OpenMP regions: sections and tasks. Each such strand has its own knowledge.
// Threads tell each other by objects such as mutexes, which have addresses: a release tells the object, an acquire
// learns all that the object was told.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <vector>

#include "clocks.hpp"

namespace races {

// A lock that a strand holds. A part keeps what the lock tells, because the lock orders it only after parts that made
// a conflicting access under the lock.
struct held_lock {
  const void* lock;
  std::uint32_t bit;
  thread_knowledge tells;  // empty if the strand has learnt it
};

struct thread_state {
  std::uint32_t id = 0;
  std::uint32_t locks = 0;  // bits of the locks that it holds, kept for OpenMP regions
  bool is_part = false;
  // Of a part: the strand that accesses memory of the thread itself counts for, and where that memory ends. Another
  // part of the same region finds there what its own thread has left.
  std::uint32_t owner = 0;
  std::uintptr_t own_stack_end = 0;
  thread_knowledge memory;
  knowledge own{nullptr, 0};
  completions* done = nullptr;
  std::vector<held_lock> held;

  void use_own_memory() { own = memory.all, done = &memory.done; }
  void join(const thread_knowledge& other) const {
    own.join(other.all);
    done->join(other.done);
  }
};

extern thread_state first_thread;
// Threads that were created before the detector started, or by means that it does not see, count as the first one.
extern constinit thread_local thread_state* current_thread __attribute__((tls_model("initial-exec")));
inline thread_state& this_thread() { return *current_thread; }

// The stack and the static thread-local variables of the calling thread.
struct memory_of_thread {
  std::uintptr_t stack_start = 0, stack_end = 0, variables_start = 0, variables_end = 0;
  std::uintptr_t lowest_seen = ~std::uintptr_t{0};  // of its stack, by the detector
  bool has_stack(std::uintptr_t a) const { return a - stack_start < stack_end - stack_start; }
  bool has_variable(std::uintptr_t a) const { return a - variables_start < variables_end - variables_start; }
};
memory_of_thread& memory_of_this_thread();

// At the start of the detector: one thread, which knows nothing.
void begin_first_thread(std::uint32_t pes);
// In a new thread: it knows all that `creator` knew, and has a number of its own until it ends.
void begin_thread(const thread_knowledge& creator);
// From now on all threads count as one, because their synchronisation cannot be seen.
void count_threads_as_one();
bool several_threads();
bool are_threads_one();

// The numbers of parts: one whose earlier parts are before this one, if there is one. Null: all are in use.
thread_state* take_part(const thread_knowledge& creator);
// `clock`: up to which others may know it.
void give_part(const thread_state& part, std::uint32_t clock);

// The object by which a thread tells at its end.
inline const void* thread_object(pthread_t thread) { return reinterpret_cast<const void*>(thread); }
void release_to_threads(const void* object);
void acquire_from_threads(const void* object);
// The same for an object of the detector.
void tell(thread_knowledge& object);
void learn(const thread_knowledge& object);
// A lock excludes others and tells them.
void lock_taken(const void* lock);
void lock_given(const void* lock);

// Regions of OpenMP and threads beside the first one, in which private memory may be shared.
void begin_sharing();
void end_sharing();
bool is_sharing();
// Whether this thread is in a region of OpenMP.
bool in_region();

}  // namespace races
