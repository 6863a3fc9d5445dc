// Extension: no PE writes the dest of a PE that has not started a non-blocking collective. The last PE starts late, and
// looks at its dest before.
// @since 1.6
// @extension
#include <shmemx.h>
#include <unistd.h>

#include "check.h"

enum { most = 20000, most_pes = 8, late_us = 60000 };
static long dest[most * most_pes], source[most * most_pes];
static const size_t lengths[] = {1, 14, 100, 1000, most};

static void start(int kind, size_t n, shmemx_request_t* request) {
  if (kind == 0) shmemx_long_broadcast_nb(SHMEM_TEAM_WORLD, dest, source, n, 0, request);
  if (kind == 1) shmemx_long_alltoall_nb(SHMEM_TEAM_WORLD, dest, source, n, request);
  if (kind == 2) shmemx_long_fcollect_nb(SHMEM_TEAM_WORLD, dest, source, n, request);
  if (kind == 3) shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, dest, source, n, request);
}

static void check_result(int kind, size_t n) {
  const long pes = shmem_n_pes();
  for (size_t i = 0; i < n; i++) {
    if (kind == 0) CHECK(dest[i] == 1, "broadcast: %ld at %zu", dest[i], i);
    if (kind == 3) CHECK(dest[i] == pes * (pes + 1) / 2, "sum: %ld at %zu", dest[i], i);
    for (long pe = 0; pe < pes && (kind == 1 || kind == 2); pe++)
      CHECK(dest[(size_t)pe * n + i] == pe + 1, "kind %d: %ld at %zu", kind, dest[(size_t)pe * n + i], i);
  }
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  if (pes > most_pes) return 0;
  for (int kind = 0; kind < 4; kind++)
    for (size_t k = 0; k < LENGTH(lengths); k++) {
      const size_t all = lengths[k] * (size_t)pes;
      for (size_t i = 0; i < all; i++) dest[i] = -1, source[i] = me + 1;
      shmem_barrier_all();
      shmemx_request_t request = SHMEMX_REQUEST_INVALID;
      if (me == pes - 1) {
        usleep(late_us);
        size_t early = 0;
        for (size_t i = 0; i < all; i++) early += dest[i] != -1;
        CHECK(early == 0, "kind %d, length %zu: %zu elements were written before the start", kind, lengths[k], early);
      }
      start(kind, lengths[k], &request);
      shmemx_coll_wait(&request);
      check_result(kind, lengths[k]);
    }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
