// The functions of C11 for threads. Their mutexes and condition variables are those of POSIX with other names.
#include <threads.h>

#include <cerrno>
#include <cstdint>

#include "threads.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define HERE \
  explore_call { __func__, __builtin_return_address(0) }

using namespace explore;

namespace {

struct call_of_thread {
  thrd_start_t body;
  void* argument;
};

void* as_result(int value) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(value)); }

void* run(void* what) {
  const call_of_thread call = *static_cast<call_of_thread*>(what);
  delete static_cast<call_of_thread*>(what);
  return as_result(call.body(call.argument));
}

pthread_mutex_t* posix(mtx_t* m) { return reinterpret_cast<pthread_mutex_t*>(m); }

int result_of(int error) {
  return error == 0 ? thrd_success : error == EBUSY ? thrd_busy : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

}  // namespace

EXPORT int thrd_create(thrd_t* thread, thrd_start_t body, void* argument) {
  return result_of(create_thread(HERE, thread, nullptr, run, new call_of_thread{body, argument}));
}
EXPORT int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = join_thread(HERE, thread, &value);
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return result_of(error);
}
EXPORT int thrd_detach(thrd_t thread) {
  detach_thread(thread);
  return thrd_success;
}
EXPORT void thrd_exit(int result) { exit_thread(HERE, as_result(result)); }

EXPORT int mtx_lock(mtx_t* m) { return result_of(lock_mutex(HERE, posix(m), step::set_lock)); }
EXPORT int mtx_trylock(mtx_t* m) { return result_of(lock_mutex(HERE, posix(m), step::test_lock)); }
EXPORT int mtx_timedlock(mtx_t* m, const timespec* limit) {
  return result_of(lock_mutex(HERE, posix(m), step::set_lock, {CLOCK_REALTIME, limit}));
}
EXPORT int mtx_unlock(mtx_t* m) { return result_of(unlock_mutex(HERE, posix(m))); }

EXPORT int cnd_wait(cnd_t* c, mtx_t* m) { return result_of(sleep_on(HERE, c, posix(m))); }
EXPORT int cnd_timedwait(cnd_t* c, mtx_t* m, const timespec* limit) {
  return result_of(sleep_on(HERE, c, posix(m), {CLOCK_REALTIME, limit}));
}
EXPORT int cnd_signal(cnd_t* c) {
  notify(HERE, c, false);
  return thrd_success;
}
EXPORT int cnd_broadcast(cnd_t* c) {
  notify(HERE, c, true);
  return thrd_success;
}

EXPORT void call_once(once_flag* flag, void (*body)()) {
  if (!begin_once(HERE, flag)) return;
  body();
  finish_once(HERE, flag);
}
