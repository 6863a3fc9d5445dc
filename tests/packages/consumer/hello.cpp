// hello.c in C++: the header must work in both languages, and the library may not need a C++ runtime.
#include <shmem.h>

#include <cstdio>

static int ones;

int main() {
  shmem_init();
  shmem_int_atomic_inc(&ones, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) std::printf("%d of %d\n", ones, shmem_n_pes());
  shmem_finalize();
}
