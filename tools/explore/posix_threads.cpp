// The functions of POSIX for threads, which take the place of those of the C library.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <map>

#include "pe.hpp"
#include "threads.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define HERE \
  explore_call { __func__, __builtin_return_address(0) }

using namespace explore;

// ---- threads

EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                          void* argument) noexcept {
  return create_thread(HERE, thread, attributes, body, argument);
}
EXPORT int pthread_join(pthread_t thread, void** result) { return join_thread(HERE, thread, result); }
EXPORT int pthread_detach(pthread_t thread) noexcept {
  detach_thread(thread);
  return 0;
}
EXPORT void pthread_exit(void* result) { exit_thread(HERE, result); }
EXPORT int pthread_cancel(pthread_t) { refuse_function(__func__, __builtin_return_address(0)); }
EXPORT int pthread_tryjoin_np(pthread_t, void**) noexcept { refuse_function(__func__, __builtin_return_address(0)); }
EXPORT int pthread_timedjoin_np(pthread_t, void**, const timespec*) {
  refuse_function(__func__, __builtin_return_address(0));
}

// ---- mutexes

EXPORT int pthread_mutex_lock(pthread_mutex_t* m) noexcept { return lock_mutex(HERE, m, step::set_lock); }
EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) noexcept { return lock_mutex(HERE, m, step::test_lock); }
EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* limit) noexcept {
  return lock_mutex(HERE, m, step::set_lock, {CLOCK_REALTIME, limit});
}
EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t clock, const timespec* limit) noexcept {
  return lock_mutex(HERE, m, step::set_lock, {clock, limit});
}
EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) noexcept { return unlock_mutex(HERE, m); }

// ---- condition variables

EXPORT int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) { return sleep_on(HERE, c, m); }
EXPORT int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* limit) {
  return sleep_on(HERE, c, m, {CLOCK_REALTIME, limit});
}
EXPORT int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* limit) {
  return sleep_on(HERE, c, m, {clock, limit});
}
EXPORT int pthread_cond_signal(pthread_cond_t* c) noexcept {
  notify(HERE, c, false);
  return 0;
}
EXPORT int pthread_cond_broadcast(pthread_cond_t* c) noexcept {
  notify(HERE, c, true);
  return 0;
}

// ---- locks for reading and writing, and spin locks

namespace {

// 0, or 1 if it is not taken.
std::uint64_t take(explore_call call, const volatile void* object, std::size_t bytes, step what, bool shared) {
  if (!pe::here().is_pe()) return 0;
  entry e = entry_of(what, call, const_cast<const void*>(object), bytes);
  e.shared = shared;
  return pe::here().request(e);
}

int rw(explore_call call, const pthread_rwlock_t* l, step what, bool shared) {
  return take(call, l, sizeof *l, what, shared) == 0 ? 0 : EBUSY;
}

int spin(explore_call call, const pthread_spinlock_t* l, step what) {
  return take(call, l, sizeof *l, what, false) == 0 ? 0 : EBUSY;
}

}  // namespace

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* l) noexcept { return rw(HERE, l, step::set_lock, true); }
EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) noexcept { return rw(HERE, l, step::test_lock, true); }
EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* l) noexcept { return rw(HERE, l, step::set_lock, false); }
EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* l) noexcept { return rw(HERE, l, step::test_lock, false); }
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* l) noexcept { return rw(HERE, l, step::clear_lock, false); }
EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t*, const timespec*) noexcept {
  refuse_function(__func__, __builtin_return_address(0));
}
EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t*, const timespec*) noexcept {
  refuse_function(__func__, __builtin_return_address(0));
}
EXPORT int pthread_spin_lock(pthread_spinlock_t* l) noexcept { return spin(HERE, l, step::set_lock); }
EXPORT int pthread_spin_trylock(pthread_spinlock_t* l) noexcept { return spin(HERE, l, step::test_lock); }
EXPORT int pthread_spin_unlock(pthread_spinlock_t* l) noexcept { return spin(HERE, l, step::clear_lock); }

// ---- barriers and semaphores: the scheduler has their state

namespace {

std::map<const void*, std::uint32_t> first_counts;  // that they were initialised with

std::uint64_t ask(step what, explore_call call, const void* object, std::size_t bytes, const time_limit& limit = {}) {
  entry e = entry_of(what, call, object, bytes);
  e.count = first_counts[object];
  e.timed = limit.at != nullptr;
  const std::uint64_t result = pe::here().request(e);
  if (result != 0) pass_time(limit);
  return result;
}

int set_up(explore_call call, const void* object, std::size_t bytes, std::uint32_t count) {
  first_counts[object] = count;
  if (pe::here().is_pe()) ask(step::set_up, call, object, bytes);
  return 0;
}

int take_semaphore(explore_call call, const sem_t* s, step what, const time_limit& limit, int otherwise) {
  if (!pe::here().is_pe()) refuse_function("a wait for a semaphore before shmem_init", call.place);
  if (ask(what, call, s, sizeof *s, limit) == 0) return 0;
  errno = otherwise;
  return -1;
}

}  // namespace

EXPORT int pthread_barrier_init(pthread_barrier_t* b, const pthread_barrierattr_t*, unsigned count) noexcept {
  return count == 0 ? EINVAL : set_up(HERE, b, sizeof *b, count);
}
EXPORT int pthread_barrier_destroy(pthread_barrier_t*) noexcept { return 0; }
EXPORT int pthread_barrier_wait(pthread_barrier_t* b) noexcept {
  if (!pe::here().is_pe()) refuse_function("pthread_barrier_wait before shmem_init", __builtin_return_address(0));
  ask(step::meet_threads, HERE, b, sizeof *b);
  return ask(step::part_threads, HERE, b, sizeof *b) == 0 ? 0 : PTHREAD_BARRIER_SERIAL_THREAD;
}

EXPORT int sem_init(sem_t* s, int, unsigned value) noexcept { return set_up(HERE, s, sizeof *s, value); }
EXPORT int sem_destroy(sem_t*) noexcept { return 0; }
EXPORT int sem_wait(sem_t* s) { return take_semaphore(HERE, s, step::take, {}, 0); }
EXPORT int sem_trywait(sem_t* s) noexcept { return take_semaphore(HERE, s, step::try_take, {}, EAGAIN); }
EXPORT int sem_timedwait(sem_t* s, const timespec* limit) {
  return take_semaphore(HERE, s, step::take, {CLOCK_REALTIME, limit}, ETIMEDOUT);
}
EXPORT int sem_clockwait(sem_t* s, clockid_t clock, const timespec* limit) {
  return take_semaphore(HERE, s, step::take, {clock, limit}, ETIMEDOUT);
}
EXPORT int sem_post(sem_t* s) noexcept {
  if (!pe::here().is_pe()) refuse_function("sem_post before shmem_init", __builtin_return_address(0));
  ask(step::post, HERE, s, sizeof *s);
  return 0;
}
EXPORT int sem_getvalue(sem_t*, int*) noexcept { refuse_function(__func__, __builtin_return_address(0)); }

// ---- once

EXPORT int pthread_once(pthread_once_t* flag, void (*body)()) {
  if (!begin_once(HERE, flag)) return 0;
  body();
  finish_once(HERE, flag);
  return 0;
}

// Static variables of functions in C++. The first byte says whether they are initialised, and programs read it.
EXPORT int __cxa_guard_acquire(char* guard) {
  if (take(HERE, guard, sizeof(std::uint64_t), step::set_lock, false) != 0 || *guard == 0) return 1;
  take(HERE, guard, sizeof(std::uint64_t), step::clear_lock, false);
  return 0;
}
EXPORT void __cxa_guard_release(char* guard) {
  *guard = 1;
  take(HERE, guard, sizeof(std::uint64_t), step::clear_lock, false);
}
EXPORT void __cxa_guard_abort(char* guard) { take(HERE, guard, sizeof(std::uint64_t), step::clear_lock, false); }
