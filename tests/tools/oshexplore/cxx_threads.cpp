// Threads of C++, with a static variable of a function and a limit of time. EARLY: without the mutex.
#include <shmem.h>

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;

struct counter {
  int value = 40;
};
counter& shared_counter() {
  static counter* const one = new counter;
  return *one;
}

void add() {
  counter& one = shared_counter();
#ifndef EARLY
  const std::lock_guard lock(mutex);
#endif
  ++one.value;
}

// Nothing ends it but the time.
bool is_late() {
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, std::chrono::hours(1)) == std::cv_status::timeout;
}

}  // namespace

int main() {
  int provided = 0;
  shmem_init_thread(SHMEM_THREAD_SINGLE, &provided);
  std::thread one(add), two(add);
  one.join();
  two.join();
  assert(shared_counter().value == 42);
  std::puts(is_late() ? "late" : "in time");
  shmem_finalize();
  return 0;
}
