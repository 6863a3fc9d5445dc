#include "os/thread.hpp"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
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

constexpr int most_library_threads = 32;  // a thread without a place counts as one of the program
constinit std::atomic<int> library_threads[most_library_threads]{};

int own_number() { return static_cast<int>(syscall(SYS_gettid)); }

// The place that the thread gets; most_library_threads if all are taken.
int enlist(int thread) {
  int place = 0;
  for (int none = 0; place < most_library_threads; ++place, none = 0)
    if (library_threads[place].compare_exchange_strong(none, thread, std::memory_order_relaxed)) break;
  return place;
}

void strike_off(int place) {
  if (place < most_library_threads) library_threads[place].store(0, std::memory_order_relaxed);
}

// Visits every thread of the process except the caller and those of the library.
template <class Visit>
void each_foreign_thread(Visit visit) {
  DIR* threads = opendir("/proc/self/task");
  if (threads == nullptr) return;
  for (const dirent* entry; (entry = readdir(threads)) != nullptr;) {
    const int thread = atoi(entry->d_name);
    if (thread > 0 && thread != own_number() && !is_library_thread(thread)) visit(thread);
  }
  closedir(threads);
}

void* begin(void* given) {
  const thread_start s = *static_cast<thread_start*>(given);
  free(given);
  const library_thread me;
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

library_thread::library_thread() : place_(enlist(own_number())) {}

library_thread::~library_thread() { strike_off(place_); }

void adopted_threads::begin() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
  is_alone_ = true;
  each_foreign_thread([&](int) { is_alone_ = false; });
}

void adopted_threads::end() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  if (!is_alone_) return;
  each_foreign_thread([&](int thread) {
    if (n_ < most) places_[n_++] = enlist(thread);
  });
}

void adopted_threads::release() {
  while (n_ != 0) strike_off(places_[--n_]);
}

bool is_library_thread(int thread) {
  for (const std::atomic<int>& one : library_threads)
    if (one.load(std::memory_order_relaxed) == thread) return true;
  return false;
}

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
