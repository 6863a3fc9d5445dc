// The threads of non-blocking collectives.
#pragma once

#include <pthread.h>

#include <atomic>

#include "coll/nonblocking/operation.hpp"

namespace oshen::coll::async {

// A thread that advances non-blocking collectives while the program computes (OSHEN_PROGRESS=thread). It is made by
// the first of them, sleeps on a word of its own while none is under way, and on the PE's wake flag while all wait.
class progress_thread {
 public:
  // There is work. Starts the thread if there is none yet; if that fails, says so once and goes on without.
  void wake(world& w);
  void stop(world& w);

 private:
  static void* main(void* world_of_the_pe);
  void serve(world& w);
  void call(world& w);

  enum class state : std::uint32_t { none, starting, running, failed };
  std::atomic<state> state_{state::none};
  std::atomic<std::uint32_t> calls_{0};  // the futex word: advanced by wake() and stop()
  std::atomic<bool> stopping_{false};
  pthread_t thread_{};
};

// Non-blocking collectives of a team that spans nodes. Steps read what peers have posted, which cannot be done over a
// network: so a thread stands in for this PE and carries out the blocking collectives, in the order of their calls, on
// a team of its own with the same members. It sleeps while there is nothing to do.
class proxy {
 public:
  explicit proxy(queue& q) : queue_(q) {}
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
extern const schedule proxy_schedule;

}  // namespace oshen::coll::async
