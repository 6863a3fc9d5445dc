// Programs whose PEs make calls that do not match, which OSHEN_CHECK finds: argv[1] names the calls. All PEs make them,
// the last PE a different one. The first row of each table is right.
#pragma once

#include "bad_use.h"

static int me, n, odd;  // odd: this PE makes the different call

// `end`: what the PEs do after the calls, or NULL. The end of the program finalises the library.
static inline int make_calls(const struct mistake* calls, size_t count, void (*end)(void), int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  odd = me == n - 1;
  for (size_t i = 0; argc > 1 && i < count; i++) {
    if (strcmp(argv[1], calls[i].name) != 0) continue;
    calls[i].make();
    if (end != NULL) end();
    if (i != 0) printf("survived %s\n", argv[1]);
    return 0;
  }
  return 2;
}
