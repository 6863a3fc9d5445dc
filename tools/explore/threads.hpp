// Threads of a PE and what they synchronise with, as entries of the log. The functions of POSIX (posix_threads.cpp) and
// C11 (c11_threads.cpp) come here.
#pragma once

#include <pthread.h>

#include <ctime>

#include "calls.h"
#include "entry.hpp"

namespace explore {

// Ends the search: the function `name` is not modelled.
[[noreturn]] void refuse_function(const char* name, const void* place);

// A wait with a limit ends with ETIMEDOUT if nothing else can go on. Then the clocks of the PE go forward to the limit.
struct time_limit {
  clockid_t clock = CLOCK_REALTIME;
  const timespec* at = nullptr;  // nullptr: none
};
void pass_time(const time_limit& limit);

// They return 0 or an error number of POSIX.
int create_thread(explore_call call, pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                  void* argument);
int join_thread(explore_call call, pthread_t thread, void** result);
void detach_thread(pthread_t thread);
[[noreturn]] void exit_thread(explore_call call, void* result);

// `what`: set_lock or test_lock.
int lock_mutex(explore_call call, pthread_mutex_t* mutex, step what, const time_limit& limit = {});
int unlock_mutex(explore_call call, pthread_mutex_t* mutex);
int sleep_on(explore_call call, const void* condition, pthread_mutex_t* mutex, const time_limit& limit = {});
void notify(explore_call call, const void* condition, bool all);
// Returns whether the caller executes the function of this flag. Then finish_once follows.
bool begin_once(explore_call call, const void* flag);
void finish_once(explore_call call, const void* flag);

// An entry of the log about an object of `bytes` bytes.
entry entry_of(step what, explore_call call, const void* object, std::size_t bytes);

}  // namespace explore
