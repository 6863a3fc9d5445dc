/* The search runs on one CPU. A program that asks how many there are, and starts as many threads, is told as before. */
#define _GNU_SOURCE
#include <assert.h>
#include <sched.h>
#include <shmem.h>
#include <sys/sysinfo.h>

static int allowed(void) {
  cpu_set_t set;
  assert(sched_getaffinity(0, sizeof set, &set) == 0);
  return CPU_COUNT(&set);
}

int main(void) {
  const int before = allowed(), all = get_nprocs();
  shmem_init();
  assert(allowed() == before);
  assert(get_nprocs() == all);
  shmem_finalize();
  return 0;
}
