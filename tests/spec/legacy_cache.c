// The cache routines, removed in 1.5, still link and do nothing. They are weak here, because a library may lack them.
#include "check.h"

extern void shmem_clear_cache_inv(void) __attribute__((weak));
extern void shmem_set_cache_inv(void) __attribute__((weak));
extern void shmem_clear_cache_line_inv(void*) __attribute__((weak));
extern void shmem_set_cache_line_inv(void*) __attribute__((weak));
extern void shmem_udcflush(void) __attribute__((weak));
extern void shmem_udcflush_line(void*) __attribute__((weak));

int main(void) {
  static int line = 5;
  shmem_init();
  if (shmem_clear_cache_inv) shmem_clear_cache_inv();
  if (shmem_set_cache_inv) shmem_set_cache_inv();
  if (shmem_clear_cache_line_inv) shmem_clear_cache_line_inv(&line);
  if (shmem_set_cache_line_inv) shmem_set_cache_line_inv(&line);
  if (shmem_udcflush) shmem_udcflush();
  if (shmem_udcflush_line) shmem_udcflush_line(&line);
  CHECK(line == 5, "line is %d", line);
  shmem_finalize();
  return 0;
}
