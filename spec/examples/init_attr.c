/* SPDX-License-Identifier: BSD-3-Clause
 * A job of one PE, started by the program itself. */
#include <shmemx.h>
#include <stdlib.h>
#include <string.h>

static int gather(void* context, const void* mine, void* all, size_t bytes) {
  (void)context;
  memcpy(all, mine, bytes); /* with more PEs: the system that started them */
  return 0;
}

static int barrier(void* context) {
  (void)context;
  return 0;
}

static void end(void* context, int status) {
  (void)context;
  exit(status);
}

int main(void) {
  static shmemx_init_attr_t attr = {.size = sizeof attr,
                                    .pe = 0,
                                    .n_pes = 1,
                                    .requested = SHMEM_THREAD_SINGLE,
                                    .allgather = gather,
                                    .barrier = barrier,
                                    .abort = end};
  if (shmemx_init_attr(&attr) != 0) return 1;
  shmem_finalize();
  return 0;
}
