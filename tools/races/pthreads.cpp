// Threads of POSIX and of C11: a lock tells the next thread that takes it; creation and join tell as well.
#include <dlfcn.h>
#include <link.h>
#include <pshmem.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <array>
#include <cerrno>
#include <memory>

#include "interpose.hpp"

using races::learn_of_threads;
using races::of_this_pe;
using races::tell_threads;

// glibc keeps an old version of condition variables under the same names, which dlsym may find first.
#define NEW_VERSION "GLIBC_2.3.2"

namespace races {
namespace {

std::array<extent, 2> libraries;

struct wanted_code {
  const void* inside;
  extent* found;
};

int find_code(dl_phdr_info* info, std::size_t, void* out) {
  const auto& wanted = *static_cast<wanted_code*>(out);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& h = info->dlpi_phdr[i];
    const extent code{info->dlpi_addr + h.p_vaddr, h.p_memsz};
    if (h.p_type != PT_LOAD || (h.p_flags & PF_X) == 0) continue;
    if (reinterpret_cast<std::uintptr_t>(wanted.inside) - code.start >= code.bytes) continue;
    *wanted.found = code;
    return 1;
  }
  return 0;
}

}  // namespace

void find_code_of_libraries() {
  const std::array<const void*, 2> inside{races_next("shmem_my_pe"),
                                          reinterpret_cast<const void*>(&find_code_of_libraries)};
  for (std::size_t i = 0; i < inside.size(); ++i) {
    wanted_code wanted{inside[i], &libraries[i]};
    dl_iterate_phdr(find_code, &wanted);
  }
}

bool is_program(const void* caller) {
  const auto a = reinterpret_cast<std::uintptr_t>(caller);
  return a - libraries[0].start >= libraries[0].bytes && a - libraries[1].start >= libraries[1].bytes;
}

}  // namespace races

// ---- locks and waits

using mutex = pthread_mutex_t;
using rwlock = pthread_rwlock_t;
using condition = pthread_cond_t;
using moment = timespec;

LOCKS(pthread_mutex_lock, (mutex * m) noexcept, (m), m)
LOCKS(pthread_mutex_trylock, (mutex * m) noexcept, (m), m)
LOCKS(pthread_mutex_timedlock, (mutex * m, const moment* t) noexcept, (m, t), m)
LOCKS(pthread_mutex_clocklock, (mutex * m, clockid_t c, const moment* t) noexcept, (m, c, t), m)
UNLOCKS(pthread_mutex_unlock, (mutex * m) noexcept, (m), m)
LEARNS(pthread_rwlock_rdlock, (rwlock * l) noexcept, (l), l)
LEARNS(pthread_rwlock_tryrdlock, (rwlock * l) noexcept, (l), l)
LEARNS(pthread_rwlock_timedrdlock, (rwlock * l, const moment* t) noexcept, (l, t), l)
LEARNS(pthread_rwlock_clockrdlock, (rwlock * l, clockid_t c, const moment* t) noexcept, (l, c, t), l)
LEARNS(pthread_rwlock_wrlock, (rwlock * l) noexcept, (l), l)
LEARNS(pthread_rwlock_trywrlock, (rwlock * l) noexcept, (l), l)
LEARNS(pthread_rwlock_timedwrlock, (rwlock * l, const moment* t) noexcept, (l, t), l)
LEARNS(pthread_rwlock_clockwrlock, (rwlock * l, clockid_t c, const moment* t) noexcept, (l, c, t), l)
TELLS(pthread_rwlock_unlock, (rwlock * l) noexcept, (l), l)
LOCKS(pthread_spin_lock, (pthread_spinlock_t * l) noexcept, (l), l)
LOCKS(pthread_spin_trylock, (pthread_spinlock_t * l) noexcept, (l), l)
UNLOCKS(pthread_spin_unlock, (pthread_spinlock_t * l) noexcept, (l), l)
LEARNS(sem_wait, (sem_t * s), (s), s)
LEARNS(sem_trywait, (sem_t * s) noexcept, (s), s)
LEARNS(sem_timedwait, (sem_t * s, const moment* t), (s, t), s)
LEARNS(sem_clockwait, (sem_t * s, clockid_t c, const moment* t), (s, c, t), s)
TELLS(sem_post, (sem_t * s) noexcept, (s), s)
MEETS(pthread_cond_wait, NEW_VERSION, (condition * c, mutex* m), (c, m), m)
MEETS(pthread_cond_timedwait, NEW_VERSION, (condition * c, mutex* m, const moment* t), (c, m, t), m)
MEETS(pthread_cond_clockwait, nullptr, (condition * c, mutex* m, clockid_t k, const moment* t), (c, m, k, t), m)
MEETS(pthread_barrier_wait, nullptr, (pthread_barrier_t * b) noexcept, (b), b)
LOCKS(mtx_lock, (mtx_t * m), (m), m)
LOCKS(mtx_trylock, (mtx_t * m), (m), m)
LOCKS(mtx_timedlock, (mtx_t * m, const moment* t), (m, t), m)
UNLOCKS(mtx_unlock, (mtx_t * m), (m), m)
MEETS(cnd_wait, nullptr, (cnd_t * c, mtx_t* m), (c, m), m)
MEETS(cnd_timedwait, nullptr, (cnd_t * c, mtx_t* m, const moment* t), (c, m, t), m)

// ---- creation and join

namespace {

template <class Result>
struct start_of_thread {
  Result (*routine)(void*);
  void* argument;
  races::thread_knowledge creator;
};

template <class Result>
Result run_thread(void* given) {
  const std::unique_ptr<start_of_thread<Result>> start(static_cast<start_of_thread<Result>*>(given));
  races::begin_thread(start->creator);
  return start->routine(start->argument);
}

// `create` starts a thread with the routine and the argument that it is given.
template <class Result, class Create>
int create_thread(Result (*routine)(void*), void* argument, const void* caller, Create create) {
  if (!of_this_pe.active() || !races::is_program(caller)) return create(routine, argument);
  std::unique_ptr<start_of_thread<Result>> start(new start_of_thread<Result>{routine, argument, {}});
  races::tell(start->creator);
  races::begin_sharing();
  const int outcome = create(run_thread<Result>, start.get());
  if (outcome == 0) {
    static_cast<void>(start.release());
  } else {
    races::end_sharing();
  }
  return outcome;
}

}  // namespace

EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                          void* argument) noexcept {
  static std::atomic<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> next;
  return create_thread(routine, argument, CALLER, [&](void* (*run)(void*), void* given) {
    return races::next_function(next, "pthread_create")(thread, attributes, run, given);
  });
}
EXPORT int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  static std::atomic<int (*)(thrd_t*, thrd_start_t, void*)> next;
  return create_thread(routine, argument, CALLER, [&](int (*run)(void*), void* given) {
    return races::next_function(next, "thrd_create")(thread, run, given);
  });
}

namespace {

// A thread that is joined shares no memory any more.
void joined(std::uintptr_t thread, const void* caller) {
  if (!of_this_pe.active() || !races::is_program(caller)) return;
  races::acquire_from_threads(reinterpret_cast<const void*>(thread));
  if (races::is_sharing()) races::end_sharing();
}

}  // namespace

#define JOINS(function, parameters, arguments)                           \
  EXPORT int function parameters {                                       \
    static std::atomic<int(*) parameters> next;                          \
    const int outcome = races::next_function(next, #function) arguments; \
    if (outcome == 0) joined(t, CALLER);                                 \
    return outcome;                                                      \
  }
JOINS(pthread_join, (pthread_t t, void** result), (t, result))
JOINS(pthread_tryjoin_np, (pthread_t t, void** result) noexcept, (t, result))
JOINS(pthread_timedjoin_np, (pthread_t t, void** result, const moment* m), (t, result, m))
JOINS(pthread_clockjoin_np, (pthread_t t, void** result, clockid_t c, const moment* m), (t, result, c, m))
JOINS(thrd_join, (thrd_t t, int* result), (t, result))

// ---- what is done once

namespace {

thread_local struct {
  void (*routine)();
  const void* control;
} once_only;

void run_once() {
  const auto now = once_only;
  now.routine();
  if (of_this_pe.active()) races::release_to_threads(now.control);
}

}  // namespace

EXPORT int pthread_once(pthread_once_t* control, void (*routine)()) {
  static std::atomic<int (*)(pthread_once_t*, void (*)())> next;
  once_only = {routine, control};
  const int outcome = races::next_function(next, "pthread_once")(control, run_once);
  learn_of_threads(control, CALLER);
  return outcome;
}

EXPORT void call_once(once_flag* control, void (*routine)()) {
  static std::atomic<void (*)(once_flag*, void (*)())> next;
  once_only = {routine, control};
  races::next_function(next, "call_once")(control, run_once);
  learn_of_threads(control, CALLER);
}

// Static variables of C++ functions. A library that contains the C++ runtime has guards already, and no other ones to
// pass calls on to.
#ifndef OSHEN_OWN_CXX_RUNTIME
EXPORT int __cxa_guard_acquire(std::uint64_t* guard) noexcept {
  static std::atomic<int (*)(std::uint64_t*)> next;
  const int must_begin = races::next_function(next, "__cxa_guard_acquire")(guard);
  if (must_begin == 0 && races::several_threads()) learn_of_threads(guard, CALLER);
  return must_begin;
}
EXPORT void __cxa_guard_release(std::uint64_t* guard) noexcept {
  static std::atomic<void (*)(std::uint64_t*)> next;
  if (of_this_pe.active()) tell_threads(guard, CALLER);
  races::next_function(next, "__cxa_guard_release")(guard);
}
#endif
