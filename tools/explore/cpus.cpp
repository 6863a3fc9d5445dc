// All processes of a search run on one CPU: only one of them runs at a time, and control passes faster within a CPU
// than to another one. A program that asks for its CPUs still sees those that it had.
#include <dlfcn.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstring>

#include "start.hpp"

namespace explore {
namespace {

// Of this process, until the search began.
cpu_set_t before;
int n_before = 0;
bool is_pinned = false;

// The function of the C library.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void use_one_cpu() {
  const int cpu = sched_getcpu();
  if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof before, &before) != 0) return;
  n_before = get_nprocs();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  is_pinned = sched_setaffinity(0, sizeof one, &one) == 0;
}

}  // namespace explore

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) noexcept {
  const int status = explore::real<int(pid_t, size_t, cpu_set_t*)>("sched_getaffinity")(process, bytes, set);
  if (status != 0 || process != 0 || !explore::is_pinned) return status;
  std::memcpy(set, &explore::before, std::min(bytes, sizeof explore::before));
  return 0;
}

// std::thread::hardware_concurrency asks for it.
EXPORT int get_nprocs() noexcept {
  return explore::is_pinned ? explore::n_before : explore::real<int()>("get_nprocs")();
}
