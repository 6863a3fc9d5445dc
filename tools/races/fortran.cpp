// The Fortran interface consists of routines that call those of C. The line of the program is the one that called the
// Fortran routine. oshfort --races compiles the interface with -finstrument-functions, under names of its own.
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "sites.hpp"
#include "timeline.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace races {
namespace {

// The calls of the interface in which this thread is.
struct nested_calls {
  const void* outermost_caller = nullptr;
  int depth = 0;
};
thread_local nested_calls inside_fortran;

}  // namespace

const void* program_caller(const void* caller) {
  if (inside_fortran.depth != 0) return inside_fortran.outermost_caller;
  const void* traced = oshtrace_caller != nullptr ? oshtrace_caller() : nullptr;
  return traced != nullptr ? traced : caller;
}

std::string source_name(const std::string& symbol) {
  if (symbol.starts_with("_Z")) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    if (name != nullptr) return name.get();
  }
  const std::size_t middle = symbol.find("_MOD_");
  if (symbol.starts_with("__") && middle != std::string::npos)
    return symbol.substr(2, middle - 2) + "::" + symbol.substr(middle + 5);
  const std::size_t dot = symbol.rfind('.');
  const bool is_numbered = dot != std::string::npos && dot != 0 && dot + 1 < symbol.size() &&
                           symbol.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return is_numbered ? symbol.substr(0, dot) : symbol;
}

}  // namespace races

EXPORT void oshen_races_enter(const void*, const void* caller) {
  if (races::inside_fortran.depth++ == 0) races::inside_fortran.outermost_caller = caller;
}
EXPORT void oshen_races_leave(const void*, const void*) { --races::inside_fortran.depth; }
