// The threads of this PE. Each has its own knowledge. They tell each other by objects such as mutexes, which have
// addresses: a release tells the object, an acquire learns all that the object was told.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <vector>

#include "clocks.hpp"

namespace races {

struct thread_state {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> words;
  knowledge own{nullptr, 0};
};

extern thread_state first_thread;
// Threads that were created before the detector started, or by means that it does not see, count as the first one.
extern constinit thread_local thread_state* current_thread __attribute__((tls_model("initial-exec")));
inline const thread_state& this_thread() { return *current_thread; }

// At the start of the detector: one thread, which knows nothing.
void begin_first_thread(std::uint32_t pes);
// In a new thread: it knows all that `object` was told, and has a number of its own until it ends.
void begin_thread(const void* object);
// From now on all threads count as one, because their synchronisation cannot be seen.
void count_threads_as_one();
bool several_threads();

// The object by which a thread tells at its end.
inline const void* thread_object(pthread_t thread) { return reinterpret_cast<const void*>(thread); }
void release_to_threads(const void* object);
void acquire_from_threads(const void* object);

}  // namespace races
