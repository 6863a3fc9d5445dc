// Turns among the threads of one PE. A lock of the standard belongs to a PE: its queue knows PEs only. With
// SHMEM_THREAD_MULTIPLE several threads of a PE may want the same lock; they take turns here, in the order in
// which they come, before one of them stands in the queue for the PE.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "os/mutex.hpp"

namespace oshen {

class thread_tickets {
 public:
  // The threads of this PE that want one thing. Lives while anybody has or awaits a turn.
  struct line {
    const void* what;
    std::uint32_t next_number;           // given to who comes next
    std::atomic<std::uint32_t> serving;  // whose turn it is
    std::atomic<pthread_t> owner;        // the thread that has it; 0: nobody
    line* next;
  };
  struct ticket {
    line* in;
    std::uint32_t number;

    bool is_served() const { return in->serving.load(std::memory_order_acquire) == number; }
    void begin() const { in->owner.store(pthread_self(), std::memory_order_relaxed); }
  };

  // Stands in line for `what`; the turn has come when is_served().
  ticket take(const void* what);
  // Takes the turn only if nobody has or awaits it.
  bool take_if_free(const void* what);
  // True when the calling thread has the turn: to wait for it would be to wait for itself.
  bool is_mine(const void* what);
  // Ends the turn of this PE's thread that has it.
  void leave(const void* what);

 private:
  line* find(const void* what) const;
  line* add(const void* what);

  os::mutex lock_;
  line* lines_ = nullptr;
};

}  // namespace oshen
