// The functions of FFTW behind their replacements.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace oshen::fftw_mpi {

// The next function of this name in the search order of the program, or null.
template <class Function>
Function* find_original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// The same for a function of libfftw3, with which this library is linked.
template <class Function>
Function* original(const char* name) {
  if (auto* found = find_original<Function>(name)) return found;
  std::fprintf(stderr, "oshen-fftw-mpi: cannot find %s: link the program with libfftw3 as well\n", name);
  std::abort();
}

// While FFTW-MPI plans, its own functions call each other by name, and reach the replacements.
inline thread_local bool fftw_is_planning = false;

class planning_by_fftw {
 public:
  planning_by_fftw() { fftw_is_planning = true; }
  ~planning_by_fftw() { fftw_is_planning = false; }
  planning_by_fftw(const planning_by_fftw&) = delete;
  planning_by_fftw& operator=(const planning_by_fftw&) = delete;
};

}  // namespace oshen::fftw_mpi
