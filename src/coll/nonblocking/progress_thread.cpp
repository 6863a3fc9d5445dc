#include "coll/nonblocking/threads.hpp"

#include <signal.h>
#include <string.h>

#include "base/log.hpp"
#include "coll/nonblocking/engine.hpp"
#include "os/futex.hpp"
#include "os/thread.hpp"
#include "wait/backoff.hpp"
#include "wait/quiescence.hpp"

namespace oshen::coll::async {
namespace {

constexpr std::uint64_t a_long_time = std::uint64_t{1000000000} * 3600;
constexpr std::uint64_t look_every = 100000000;

}  // namespace

// Advances operations until none is under way. It does not spin, because it shares its CPU with the computing thread.
void progress_thread::serve(world& w) {
  const auto is_over = [&] {
    return stopping_.load(std::memory_order_acquire) || w.background.n_open.load(std::memory_order_acquire) == 0;
  };
  sleeper me(w, nullptr, 0);
  quiescence_state::waiter here;
  enter_wait(w, here);
  std::uint64_t next_look = 0;
  while (!is_over()) {
    if (w.background.advance(w, false)) continue;
    me.announce();
    if (is_over() || w.background.advance(w, true)) continue;
    me.sleep(w.waiting.longest_sleep_ns);
    if (const std::uint64_t now = os::now_ns(); now >= next_look) {
      next_look = now + look_every;
      check_quiescence(w, here, now);
    }
  }
  leave_wait(w, here);
}

void* progress_thread::main(void* argument) {
  world& w = *static_cast<world*>(argument);
  progress_thread& self = w.background.engine.load(std::memory_order_acquire)->thread;
  const os::library_thread me;
  while (!self.stopping_.load(std::memory_order_acquire)) {
    const std::uint32_t calls = self.calls_.load(std::memory_order_acquire);
    self.serve(w);
    os::futex_wait(self.calls_, calls, a_long_time);
  }
  return nullptr;
}

// Wakes the thread, which sleeps on the futex word or on the wake flag.
void progress_thread::call(world& w) {
  calls_.fetch_add(1, std::memory_order_release);
  os::futex_wake_all(calls_);
  oshen::wake(w.own_control().wakeup);
}

void progress_thread::wake(world& w) {
  state now = state::none;
  if (state_.compare_exchange_strong(now, state::starting, std::memory_order_acq_rel)) {
    // The new thread blocks all signals, so that the program's own threads handle them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int problem = pthread_create(&thread_, nullptr, main, &w);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (problem != 0)
      log::error("OSHEN_PROGRESS: no progress thread (%s); calls advance collectives", strerror(problem));
    state_.store(problem == 0 ? state::running : state::failed, std::memory_order_release);
    return;
  }
  call(w);
}

void progress_thread::stop(world& w) {
  if (state_.load(std::memory_order_acquire) != state::running) return;
  stopping_.store(true, std::memory_order_release);
  call(w);
  pthread_join(thread_, nullptr);
}

}  // namespace oshen::coll::async
