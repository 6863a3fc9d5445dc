// hello.c in C++: the header must serve both, and no C++ runtime of ours may be needed.
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
