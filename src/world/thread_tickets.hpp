// A ticket lock for the threads of one PE. A lock of the standard belongs to a PE, and its queue consists of PEs. With
// SHMEM_THREAD_MULTIPLE several threads of a PE may want the same lock: they first take turns here, in the order of
// their calls, and the thread whose turn it is queues for the PE.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "os/mutex.hpp"

namespace oshen {

class thread_tickets {
 public:
  // The threads of this PE that want one lock. It exists while a thread holds or awaits a turn.
  struct line {
    const void* lock_object;
    std::uint32_t next_number;           // the number of the next ticket
    std::atomic<std::uint32_t> serving;  // the number of the ticket that has the turn
    std::atomic<pthread_t> owner;        // the thread that has the turn; 0: none
    line* next;
  };
  struct ticket {
    line* waiting_line;
    std::uint32_t number;

    bool is_served() const { return waiting_line->serving.load(std::memory_order_acquire) == number; }
    void begin() const { waiting_line->owner.store(pthread_self(), std::memory_order_relaxed); }
  };

  // Takes a ticket for `lock`; the calling thread has the turn when is_served().
  ticket take(const void* lock);
  // Takes the turn only if no thread has or awaits it.
  bool take_if_free(const void* lock);
  // True if the calling thread has the turn: it would wait for itself.
  bool is_mine(const void* lock);
  // Ends the turn of the thread of this PE that has it.
  void leave(const void* lock);
  // For tests of the wrap-around of tickets: the lines of locks that follow begin with this number.
  void count_from(std::uint32_t number) { first_number_ = number; }

 private:
  line* find(const void* lock) const;
  line* add(const void* lock);

  os::mutex mutex_;
  line* lines_ = nullptr;
  std::uint32_t first_number_ = 0;
};

}  // namespace oshen
