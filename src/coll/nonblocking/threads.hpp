// The threads of non-blocking collectives.
#pragma once

#include <pthread.h>

#include <atomic>

#include "coll/nonblocking/operation.hpp"

namespace oshen::coll::async {

// A thread that advances non-blocking collectives while the program computes (OSHEN_PROGRESS=thread). The first such
// collective creates it. While none is under way it sleeps on its own futex word, and while all wait, on the PE's wake
// flag.
class progress_thread {
 public:
  // Announces work, and creates the thread at the first call. If that fails, prints one line and continues without it.
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

// A thread for the non-blocking collectives of a team that spans nodes. Steps read the flags of peers, which is not
// possible over a network. So this thread runs the blocking collectives instead, in the order of the calls, on its own
// team with the same members. It sleeps while there is nothing to do.
class proxy {
 public:
  explicit proxy(queue& q) : queue_(q) {}
  // Creates the thread. False if that fails.
  bool begin();
  // Announces a new operation in the queue.
  void call();
  // Ends the thread after all operations have ended. Collective over the members, like the end of their team.
  void end();
  bool has_done(std::uint64_t number) const { return done_.load(std::memory_order_acquire) >= number; }

 private:
  static void* main(void* self);
  void serve();
  void carry_out(const collective_operation& op);

  queue& queue_;
  team* own_ = nullptr;
  pthread_t thread_{};
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<bool> ending_{false};
  std::atomic<std::uint64_t> done_{0};
};

// The schedule of an operation that a proxy runs: one step, which waits for the proxy.
extern const schedule proxy_schedule;

}  // namespace oshen::coll::async
