// A thread that advances non-blocking collectives while the program computes (OSHEN_PROGRESS=thread). It is made by
// the first of them, sleeps on a word of its own while none is under way, and on the PE's wake flag while all wait.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace oshen {

struct world;

namespace coll::async {

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

}  // namespace coll::async
}  // namespace oshen
