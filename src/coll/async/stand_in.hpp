// Non-blocking collectives of a team that spans nodes. Steps read what peers have posted, which cannot be done over a
// network: so a thread stands in for this PE and carries out the blocking collectives, in the order of their calls, on
// a team of its own with the same members. It sleeps while there is nothing to do.
#pragma once

#include <pthread.h>

#include "coll/async/operation.hpp"

namespace oshen::coll::async {

class stand_in {
 public:
  explicit stand_in(queue& q) : queue_(q) {}
  // False: there is no thread to be had.
  bool begin();
  // Something has been put into the queue.
  void call();
  // Everything has ended; collective over the members, as the end of their team is.
  void end();
  bool has_done(std::uint64_t number) const { return done_.load(std::memory_order_acquire) >= number; }

 private:
  static void* main(void* self);
  void serve();
  void carry_out(const operation& op);

  queue& queue_;
  team* own_ = nullptr;
  pthread_t thread_{};
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<bool> ending_{false};
  std::atomic<std::uint64_t> done_{0};
};

// The one step of such an operation.
extern const schedule stood_in;

}  // namespace oshen::coll::async
