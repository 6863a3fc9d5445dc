// A floating-point reduction has the same bits on every PE and in every run, for few and for many elements. The
// operands are zeros of both signs, infinities and numbers of very different size, for which each order of adding
// rounds differently.
// @extension
// @run
// @run pes=5 OSHEN_CHAOS=3
// @run pes=3,4 OSHEN_COLL_REDUCE=linear-put
// @run pes=3 OSHEN_COLL_REDUCE=ring-put
#include <math.h>

#include "check.h"

enum { longest = 5000, repeats = 4, kinds = 4 };

static double source[longest], dest[longest], theirs[longest], before[2][kinds][longest];

static const struct {
  const char* name;
  int (*reduce)(shmem_team_t, double*, const double*, size_t);
} kind[kinds] = {{"sum", shmem_double_sum_reduce},
                 {"prod", shmem_double_prod_reduce},
                 {"max", shmem_double_max_reduce},
                 {"inclusive scan", shmem_double_sum_inscan}};

static void fill(int me) {
  unsigned long random = 88172645463325252ul + (unsigned long)me;
  for (int i = 0; i < longest; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    source[i] = ldexp((double)(random >> 11) * 0x1p-53 - 0.5, (int)(random % 60) - 30);
    if (i % 7 == 1) source[i] = me % 2 ? 0.0 : -0.0;
    if (i % 97 == 2) source[i] = INFINITY;
  }
}

static void once(int k, size_t n, int large, int repeat) {
  memset(dest, 1, sizeof dest);
  shmem_barrier_all();
  CHECK(kind[k].reduce(SHMEM_TEAM_WORLD, dest, source, n) == 0, "%s", kind[k].name);
  shmem_barrier_all();
  shmem_double_get(theirs, dest, n, 0);
  if (strstr(kind[k].name, "scan") == NULL)
    CHECK(memcmp(theirs, dest, n * sizeof *dest) == 0, "%s of %zu: PE 0 has other bits", kind[k].name, n);
  if (repeat > 0)
    CHECK(memcmp(before[large][k], dest, n * sizeof *dest) == 0, "%s of %zu: other bits in run %d", kind[k].name, n,
          repeat);
  memcpy(before[large][k], dest, n * sizeof *dest);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  fill(shmem_my_pe());
  for (int repeat = 0; repeat < repeats; repeat++)
    for (int k = 0; k < kinds; k++) {
      once(k, 9, 0, repeat);
      once(k, longest, 1, repeat);
    }
  shmem_finalize();
  return 0;
}
