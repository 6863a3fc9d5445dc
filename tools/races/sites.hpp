// Numbers for the places of the program that access memory. All PEs use the same numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "region.hpp"

namespace races {

// Indices of accesses that are no calls of OpenSHMEM; the routines follow them.
// The functions of the C library and of gfortran's run-time library that are in library_calls.cpp begin at
// a_library_call.
inline constexpr std::array library_calls{
    "strcpy",   "stpcpy",   "strncpy",    "stpncpy",     "strcat",         "strncat",        "strlen",  "strnlen",
    "strcmp",   "strncmp",  "strcasecmp", "strncasecmp", "strchr",         "strrchr",        "strstr",  "strdup",
    "strndup",  "memcmp",   "bcmp",       "memchr",      "mempcpy",        "bcopy",          "bzero",   "qsort",
    "qsort_r",  "bsearch",  "atoi",       "atol",        "atof",           "strtol",         "strtoul", "strtoll",
    "strtoull", "strtod",   "strtof",     "fread",       "fwrite",         "fgets",          "fputs",   "puts",
    "sprintf",  "snprintf", "vsprintf",   "vsnprintf",   "read",           "write",          "pread",   "pwrite",
    "readv",    "writev",   "send",       "recv",        "read statement", "write statement"};
enum plain_routine : std::uint32_t {
  a_load,
  a_store,
  a_copy_from,
  a_copy_to,
  a_fill,
  a_library_call,
  first_routine = a_library_call + library_calls.size()
};
consteval plain_routine library_call(std::string_view name) {
  std::uint32_t i = 0;
  while (library_calls.at(i) != name) ++i;
  return static_cast<plain_routine>(a_library_call + i);
}

// `caller`: a return address. Threads keep the numbers that they used last.
std::uint32_t site_of(std::uint32_t routine, const void* caller, std::size_t bytes);

// The caller of the Fortran interface if the thread is in it, otherwise `caller`.
const void* program_caller(const void* caller);
// The name in the source of a symbol of gfortran ("__grid_MOD_x" is "grid::x") or of a local static variable ("x.5").
std::string source_name(const std::string& symbol);

struct source_place {
  std::string file;  // without folders; "" if unknown
  int line = 0;
  std::string function;
  std::string text() const;  // "prog.c:31 (main)"
};
// Runs addr2line, so it is for reports only.
source_place place_of(const site& s);
std::string routine_of(const site& s);

}  // namespace races
