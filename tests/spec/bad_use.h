// Programs that misuse the library on purpose: argv[1] names the mistake, which PE 1 (or the last PE) makes while the
// others wait in a barrier. The library must report the mistake in one line and end the whole job. The runner checks
// the line (see the @run lines), and that the exit status is not 0.
//
// The standard leaves these cases undefined; Oshen defines them. So these programs have the mark @extension.
#pragma once

#include "check.h"

struct mistake {
  const char* name;
  void (*make)(void);
};

static inline int make_mistake(const struct mistake* mistakes, size_t count, int argc, char** argv) {
  CHECK(argc > 1, "usage: %s MISTAKE", argv[0]);
  const int culprit = shmem_n_pes() > 1 ? 1 : 0;
  for (size_t i = 0; i < count; i++)
    if (!strcmp(argv[1], mistakes[i].name)) {
      if (shmem_my_pe() == culprit) {
        mistakes[i].make();
        printf("survived %s\n", argv[1]);
      }
      shmem_barrier_all();
      return 0;
    }
  CHECK(0, "no mistake is called %s", argv[1]);
}

// All PEs make the first `together` mistakes, whose calls are valid but do not match one another.
static inline int make_mistakes(const struct mistake* mistakes, size_t together, size_t count, int argc, char** argv) {
  for (size_t i = 0; argc > 1 && i < together; i++)
    if (!strcmp(argv[1], mistakes[i].name)) {
      mistakes[i].make();
      printf("survived %s\n", argv[1]);
      shmem_barrier_all();
      return 0;
    }
  return make_mistake(mistakes, count, argc, argv);
}
