// hosts_tell by an OpenSHMEM library under test.
#pragma once
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static inline void tell_by_shmem(void* data, size_t bytes) {
  void* const common = shmem_malloc(bytes);
  if (common == NULL) {
    fprintf(stderr, "bench: no symmetric memory for %zu bytes\n", bytes);
    shmem_global_exit(2);
  }
  if (shmem_my_pe() == 0) memcpy(common, data, bytes);
  shmem_barrier_all();
  shmem_getmem(data, common, bytes, 0);
  shmem_barrier_all();
  shmem_free(common);
}
