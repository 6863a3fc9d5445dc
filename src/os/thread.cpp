#include "os/thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "os/futex.hpp"

namespace oshen::os {
namespace {

constexpr std::size_t stack_bytes = 256 << 10;
constexpr std::uint64_t flush_ns = 500000000;

struct thread_start {
  void (*function)(void*);
  void* argument;
};

void* begin(void* given) {
  const thread_start s = *static_cast<thread_start*>(given);
  free(given);
  s.function(s.argument);
  return nullptr;
}

constinit std::atomic<std::uint32_t> flushed{0};

void flush(void*) {
  fflush(nullptr);
  flushed.store(1, std::memory_order_release);
  futex_wake_all(flushed);
}

}  // namespace

bool start_thread(void (*function)(void*), void* argument) {
  auto* given = static_cast<thread_start*>(malloc(sizeof(thread_start)));
  if (given == nullptr) return false;
  *given = {function, argument};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // inherited by the new thread
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, begin, given) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (!started) free(given);
  return started;
}

void leave_from_thread(int status) {
  if (start_thread(flush, nullptr) && flushed.load(std::memory_order_acquire) == 0) futex_wait(flushed, 0, flush_ns);
  _exit(status);
}

}  // namespace oshen::os
