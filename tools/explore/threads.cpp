#include "threads.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "pe.hpp"

namespace explore {
namespace {

struct created_thread {
  pthread_t handle{};
  void* (*body)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  bool is_joined = false;
};

struct recursive_lock {
  int thread = 0, times = 0;
};

// Of this process. Only one of its threads runs at a time.
std::array<created_thread, most_threads> threads;
int n_threads = 1;
pthread_key_t end_key;
std::map<const void*, recursive_lock> recursive_locks;  // and those that check errors
std::set<const void*> executed;                         // by pthread_once

// The real function, of the C library.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// The destructors of the thread's own data come first: this one asks to be the last.
void end_thread(void* round) {
  const auto n = reinterpret_cast<std::uintptr_t>(round);
  if (n < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(end_key, reinterpret_cast<void*>(n + 1));
    return;
  }
  entry last;
  last.what = step::exit_thread;
  pe::here().stop_for_ever(last);  // Its stack is used by no later thread.
}

void* run_thread(void* number) {
  const auto n = reinterpret_cast<std::uintptr_t>(number);
  pe::here().begin_thread(static_cast<int>(n));
  pthread_setspecific(end_key, reinterpret_cast<void*>(std::uintptr_t{1}));
  created_thread& me = threads.at(n);
  me.result = me.body(me.argument);
  return nullptr;
}

created_thread* find_thread(pthread_t handle) {
  for (int i = 1; i < n_threads; ++i) {
    created_thread& one = threads.at(static_cast<std::size_t>(i));
    if (pthread_equal(one.handle, handle) != 0 && !one.is_joined) return &one;
  }
  return nullptr;
}

bool is_of_openmp(const void* place) {
  Dl_info info{};
  if (dladdr(place, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view file(info.dli_fname);
  return file.find("libgomp") != file.npos || file.find("libomp") != file.npos || file.find("libiomp") != file.npos;
}

void take_lock_again(const pthread_mutex_t* mutex) { recursive_locks[mutex] = {pe::thread(), 1}; }

bool counts_owner(const pthread_mutex_t* mutex) {
  const int kind = mutex->__data.__kind & 3;
  return kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK;
}

bool is_owner(const pthread_mutex_t* mutex) {
  const auto held = recursive_locks.find(mutex);
  return held != recursive_locks.end() && held->second.thread == pe::thread();
}

}  // namespace

void refuse_function(const char* name, const void* place) {
  if (pe::here().is_pe()) {
    entry last;
    last.what = step::not_modelled;
    last.call = {nullptr, place};
    std::snprintf(last.message.data(), last.message.size(), "%s", name);
    pe::here().stop_for_ever(last);
  }
  std::fprintf(stderr, "explore: %s is not modelled: the search cannot go on\n", name);
  _exit(2);
}

entry entry_of(step what, explore_call call, const void* object, std::size_t bytes) {
  entry e;
  e.what = what;
  e.call = call;
  e.of_threads = true;
  e.from = {reinterpret_cast<std::uint64_t>(object), bytes, 1, 0};
  return e;
}

// ---- creation and end

int create_thread(explore_call call, pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                  void* argument) {
  pe& here = pe::here();
  if (!here.is_pe()) refuse_function("a thread that is created before shmem_init", call.place);
  if (is_of_openmp(call.place)) refuse_function("OpenMP", nullptr);
  if (n_threads == most_threads) refuse_function("a PE with more than 15 threads beside the first one", call.place);
  const int number = n_threads++;
  created_thread& made = threads.at(static_cast<std::size_t>(number));
  if (number == 1) pthread_key_create(&end_key, end_thread);
  made.body = body;
  made.argument = argument;
  entry e;
  e.what = step::create;
  e.call = call;
  e.thread = number;
  here.request(e);
  here.prepare_thread(number);
  const auto create = real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  void* const name = reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
  if (create(&made.handle, attributes, run_thread, name) != 0)
    refuse_function("a thread that cannot be created", call.place);
  *thread = made.handle;
  return 0;
}

int join_thread(explore_call call, pthread_t thread, void** result) {
  created_thread* const joined = find_thread(thread);
  if (joined == nullptr) return ESRCH;
  entry e;
  e.what = step::join;
  e.call = call;
  e.thread = static_cast<int>(joined - threads.data());
  pe::here().request(e);
  joined->is_joined = true;
  pe::here().count_thread(-1);
  if (result != nullptr) *result = joined->result;
  return 0;
}

void detach_thread(pthread_t) {}  // All threads keep what they have until their process ends.

void exit_thread(explore_call call, void* result) {
  if (!pe::here().is_pe()) refuse_function("pthread_exit before shmem_init", call.place);
  if (pe::thread() != 0) {
    threads.at(static_cast<std::size_t>(pe::thread())).result = result;
    real<void(void*)>("pthread_exit")(result);
    std::abort();
  }
  // The process ends with its last thread.
  for (int i = 1; i < n_threads; ++i) {
    const created_thread& other = threads.at(static_cast<std::size_t>(i));
    if (!other.is_joined) join_thread(call, other.handle, nullptr);
  }
  std::exit(0);
}

// ---- mutexes and condition variables

int lock_mutex(explore_call call, pthread_mutex_t* mutex, step what, const time_limit& limit) {
  if (!pe::here().is_pe()) return 0;
  const bool is_counted = counts_owner(mutex);
  if (is_counted && is_owner(mutex)) {
    if ((mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK) return what == step::test_lock ? EBUSY : EDEADLK;
    ++recursive_locks[mutex].times;
    return 0;
  }
  entry e = entry_of(what, call, mutex, sizeof *mutex);
  e.timed = limit.at != nullptr;
  if (pe::here().request(e) != 0) {
    pass_time(limit);
    return what == step::test_lock ? EBUSY : ETIMEDOUT;
  }
  if (is_counted) take_lock_again(mutex);
  return 0;
}

int unlock_mutex(explore_call call, pthread_mutex_t* mutex) {
  if (!pe::here().is_pe()) return 0;
  if (counts_owner(mutex)) {
    if (!is_owner(mutex)) return EPERM;
    if (--recursive_locks[mutex].times > 0) return 0;
    recursive_locks.erase(mutex);
  }
  entry e = entry_of(step::clear_lock, call, mutex, sizeof *mutex);
  pe::here().request(e);
  return 0;
}

int sleep_on(explore_call call, const void* condition, pthread_mutex_t* mutex, const time_limit& limit) {
  if (!pe::here().is_pe()) return 0;
  const bool is_counted = counts_owner(mutex);
  if (is_counted) recursive_locks.erase(mutex);
  entry e = entry_of(step::sleep, call, condition, sizeof(pthread_cond_t));
  e.object = reinterpret_cast<std::uint64_t>(mutex);
  pe::here().request(e);
  e.what = step::awake;
  e.timed = limit.at != nullptr;
  const bool is_late = pe::here().request(e) != 0;
  if (is_late) pass_time(limit);
  entry again = entry_of(step::set_lock, call, mutex, sizeof *mutex);
  pe::here().request(again);
  if (is_counted) take_lock_again(mutex);
  return is_late ? ETIMEDOUT : 0;
}

void notify(explore_call call, const void* condition, bool all) {
  if (!pe::here().is_pe()) return;
  entry e = entry_of(step::notify, call, condition, sizeof(pthread_cond_t));
  e.all = all;
  pe::here().request(e);
}

bool begin_once(explore_call call, const void* flag) {
  if (pe::here().is_pe()) {
    entry e = entry_of(step::set_lock, call, flag, sizeof(int));
    pe::here().request(e);
  }
  if (!executed.contains(flag)) return true;
  finish_once(call, flag);
  return false;
}

void finish_once(explore_call call, const void* flag) {
  executed.insert(flag);
  if (!pe::here().is_pe()) return;
  entry e = entry_of(step::clear_lock, call, flag, sizeof(int));
  pe::here().request(e);
}

}  // namespace explore
