// The OpenSHMEM library behind the wrappers, by its profiling names. Calls through them are not traced.
#pragma once

#include <pshmem.h>

#include <string>

#include "trace.h"

namespace oshtrace {

template <class Function>
Function* find_in_library(const char* name) {
  return reinterpret_cast<Function*>(oshen_next_function((std::string("p") + name).c_str(), name));
}

}  // namespace oshtrace

#define LIBRARY(name) (*oshtrace::find_in_library<decltype(::p##name)>(#name))
