// Functions of threads that stand between the program and the C library or the run-time library of OpenMP.
#pragma once

#include <dlfcn.h>

#include <atomic>

#include "detector.hpp"

namespace races {

// Finds where liboshen and this library are. Their own locks order nothing for the program.
void find_code_of_libraries();
bool is_program(const void* caller);

// The linker leaves the run-time library of OpenMP out of a program that calls only functions that are here too.
void* function_of_openmp(const char* name);

// The function behind ours. No static variables that need a guard, because the functions of guards are among them.
template <class Function>
Function* next_function(std::atomic<Function*>& known, const char* name, const char* version = nullptr) {
  Function* f = known.load(std::memory_order_relaxed);
  if (f != nullptr) return f;
  void* found = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  if (found == nullptr) found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) found = function_of_openmp(name);
  f = reinterpret_cast<Function*>(found);
  known.store(f, std::memory_order_relaxed);
  return f;
}

inline const void* object_of(const volatile void* object) { return const_cast<const void*>(object); }

inline void tell_threads(const void* object, const void* caller) {
  if (of_this_pe.active() && is_program(caller)) release_to_threads(object);
}
inline void take_lock(const void* lock, const void* caller) {
  if (of_this_pe.active() && is_program(caller)) lock_taken(lock);
}
inline void give_lock(const void* lock, const void* caller) {
  if (of_this_pe.active() && is_program(caller)) lock_given(lock);
}
inline void learn_of_threads(const void* object, const void* caller) {
  if (of_this_pe.active() && is_program(caller)) acquire_from_threads(object);
}

}  // namespace races

#define CALLER __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))
// The bodies of such functions: a call that returns 0 learns from the object; a call tells it before.
#define AFTER(use, function, parameters, arguments, object)              \
  EXPORT int function parameters {                                       \
    static std::atomic<int(*) parameters> next;                          \
    const int outcome = races::next_function(next, #function) arguments; \
    if (outcome == 0) races::use(races::object_of(object), CALLER);      \
    return outcome;                                                      \
  }
#define BEFORE(use, function, parameters, arguments, object) \
  EXPORT int function parameters {                           \
    static std::atomic<int(*) parameters> next;              \
    races::use(races::object_of(object), CALLER);            \
    return races::next_function(next, #function) arguments;  \
  }
#define LEARNS(function, parameters, arguments, object) AFTER(learn_of_threads, function, parameters, arguments, object)
#define TELLS(function, parameters, arguments, object) BEFORE(tell_threads, function, parameters, arguments, object)
#define LOCKS(function, parameters, arguments, lock) AFTER(take_lock, function, parameters, arguments, lock)
#define UNLOCKS(function, parameters, arguments, lock) BEFORE(give_lock, function, parameters, arguments, lock)
// A call that tells before and learns after, whatever it returns: barriers, and waits that give a lock back meanwhile.
#define MEETS(function, version, parameters, arguments, object)                   \
  EXPORT int function parameters {                                                \
    static std::atomic<int(*) parameters> next;                                   \
    races::tell_threads(races::object_of(object), CALLER);                        \
    const int outcome = races::next_function(next, #function, version) arguments; \
    races::learn_of_threads(races::object_of(object), CALLER);                    \
    return outcome;                                                               \
  }
