// Numbers for the places of the program that access memory. All PEs use the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "region.hpp"

namespace races {

// Indices of accesses that are no calls of OpenSHMEM; the routines follow them.
enum plain_routine : std::uint32_t { a_load, a_store, a_copy_from, a_copy_to, a_fill, first_routine };

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
