#include "bootstrap/mpi_in_process.hpp"

#include <dlfcn.h>
#include <stdio.h>

namespace oshen::bootstrap {
namespace {

template <class F>
F routine(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

bool mpi_is_loaded() { return routine<int (*)(int*)>("MPI_Initialized") != nullptr; }

bool mpi_was_initialised() {
  const auto initialised = routine<int (*)(int*)>("MPI_Initialized");
  int yes = 0;
  return initialised != nullptr && initialised(&yes) == 0 && yes != 0;
}

bool mpi_is_initialised() {
  const auto finalized = routine<int (*)(int*)>("MPI_Finalized");
  int over = 0;
  if (!mpi_was_initialised()) return false;
  return finalized == nullptr || finalized(&over) != 0 || over == 0;
}

int open_mpi_version() {
  if (routine<void*>("ompi_mpi_comm_world") == nullptr) return 0;
  const auto version = routine<int (*)(char*, int*)>("MPI_Get_library_version");
  char text[8192];  // more than any MPI_MAX_LIBRARY_VERSION_STRING
  int length = 0, major = 0;
  if (version == nullptr || version(text, &length) != 0) return 0;
  return sscanf(text, "Open MPI v%d", &major) == 1 ? major : 0;
}

}  // namespace oshen::bootstrap
