// Structs that programs share with the libraries. A program may have been compiled with fewer members than the library
// has, or with more, so each struct travels with its size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace oshen {

// Fills the struct of a program, of `bytes` bytes. Members that the library does not know become 0.
template <class Struct>
void fill_struct(Struct* of_program, std::size_t bytes, const Struct& known) {
  const std::size_t n = std::min(bytes, sizeof known);
  std::memcpy(static_cast<void*>(of_program), &known, n);
  std::memset(reinterpret_cast<char*>(of_program) + n, 0, bytes - n);
}

// True if a program leaves at 0 what the library does not know: the bytes of its struct from `known` on.
template <class Struct>
bool uses_only(const Struct& of_program, std::size_t known) {
  const auto* const first = reinterpret_cast<const char*>(&of_program);
  return std::all_of(first + known, first + std::max(known, of_program.size), [](char byte) { return byte == 0; });
}

}  // namespace oshen
