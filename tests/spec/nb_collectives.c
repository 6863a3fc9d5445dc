// Extension: non-blocking collectives. Several are under way on one team, with blocking ones in between, and each PE
// waits in a different order. The generic names select the types.
// @since 1.6
// @extension
// @run
// @run pes=3,8 OSHEN_PROGRESS=thread
// @run pes=5 OSHEN_CHAOS=3
// @run pes=5 OSHEN_CHECK=1
#include <shmemx.h>
#include "check.h"

enum { most = 3000, rounds = 6 };
static const size_t lengths[] = {1, 5, 40, most};

static double sum_of_all(int n, size_t i) { return n * (n + 1) / 2.0 + (double)i * n; }

struct buffers {
  double *reduce_in, *reduce_out;
  int *cast_in, *cast_out;
  short *all_in, *all_out;
  unsigned char *each_in, *each_out;
};

static struct buffers make_buffers(void) {
  const size_t n = (size_t)shmem_n_pes();
  struct buffers b;
  b.reduce_in = shmem_malloc(most * sizeof(double));
  b.reduce_out = shmem_malloc(most * sizeof(double));
  b.cast_in = shmem_malloc(most * sizeof(int));
  b.cast_out = shmem_malloc(most * sizeof(int));
  b.all_in = shmem_malloc(most * sizeof(short));
  b.all_out = shmem_malloc(n * most * sizeof(short));
  b.each_in = shmem_malloc(n * most);
  b.each_out = shmem_malloc(n * most);
  return b;
}

static void fill(struct buffers* b, size_t length, int round) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (size_t i = 0; i < length; i++) {
    b->reduce_in[i] = me + 1 + (double)i;
    b->cast_in[i] = me * 1000 + round + (int)i;
    b->all_in[i] = (short)(me * 31 + round + (int)i);
    for (int pe = 0; pe < n; pe++)
      b->each_in[(size_t)pe * length + i] = (unsigned char)(me * 7 + pe * 3 + round + (int)i);
  }
}

static void check(const struct buffers* b, size_t length, int round, int root) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (size_t i = 0; i < length; i++) {
    CHECK(b->reduce_out[i] == sum_of_all(n, i), "sum %g at %zu", b->reduce_out[i], i);
    CHECK(b->cast_out[i] == root * 1000 + round + (int)i, "broadcast %d at %zu", b->cast_out[i], i);
    for (int pe = 0; pe < n; pe++) {
      const size_t at = (size_t)pe * length + i;
      CHECK(b->all_out[at] == (short)(pe * 31 + round + (int)i), "fcollect from %d at %zu", pe, i);
      CHECK(b->each_out[at] == (unsigned char)(pe * 7 + me * 3 + round + (int)i), "alltoall from %d at %zu", pe, i);
    }
  }
}

static void run(shmem_team_t team, struct buffers* b, size_t length, int round) {
  const int root = round % shmem_n_pes(), me = shmem_my_pe();
  static long before, after, one = 1;
  shmemx_request_t requests[5];
  fill(b, length, round);
  CHECK(shmemx_sum_reduce_nb(team, b->reduce_out, b->reduce_in, length, &requests[0]) == 0, "reduce");
  CHECK(shmemx_broadcast_nb(team, b->cast_out, b->cast_in, length, root, &requests[1]) == 0, "cast");
  shmem_long_sum_reduce(team, &before, &one, 1);
  CHECK(shmemx_fcollect_nb(team, b->all_out, b->all_in, length, &requests[2]) == 0, "fcollect");
  CHECK(shmemx_alltoall_nb(team, b->each_out, b->each_in, length, &requests[3]) == 0, "alltoall");
  CHECK(shmemx_team_sync_nb(team, &requests[4]) == 0, "sync");
  shmem_long_sum_reduce(team, &after, &one, 1);
  CHECK(before == shmem_n_pes() && after == before, "the blocking ones in between");
  if ((me + round) % 3 == 0) {
    shmemx_coll_wait_all(requests, 5);
  } else if ((me + round) % 3 == 1) {
    for (int i = 4; i >= 0; i--)
      while (!shmemx_coll_test(&requests[i])) continue;
  } else {
    int seen = 0;
    for (int i = 0; i < 5; i++) seen |= 1 << shmemx_coll_wait_any(requests, 5);
    CHECK(seen == 31, "wait_any returned each once: %x", (unsigned)seen);
  }
  for (int i = 0; i < 5; i++) CHECK(requests[i] == SHMEMX_REQUEST_INVALID, "request %d", i);
  CHECK(shmemx_coll_wait_any(requests, 5) == SIZE_MAX && shmemx_coll_test(&requests[0]), "none left");
  check(b, length, round, root);
}

// Tests bytes, on the team of all PEs in reverse order.
static void run_mem(struct buffers* b) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_team_t reversed;
  CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, 0, -me, NULL, 0, &reversed) == 0, "split");
  shmemx_request_t requests[3];
  memset(b->each_in, 'a' + me, (size_t)n * 100);
  CHECK(shmemx_alltoallmem_nb(reversed, b->each_out, b->each_in, 100, &requests[0]) == 0, "alltoall");
  CHECK(shmemx_fcollectmem_nb(reversed, b->all_out, b->each_in, 100, &requests[1]) == 0, "fcollect");
  CHECK(shmemx_broadcastmem_nb(reversed, b->cast_out, b->each_in, 100, 0, &requests[2]) == 0, "cast");
  shmemx_coll_wait_all(requests, 3);
  for (int pe = 0; pe < n; pe++) {
    const size_t at = (size_t)pe * 100 + 99;
    const int from = 'a' + n - 1 - pe;
    CHECK(b->each_out[at] == from && ((char*)b->all_out)[at] == from, "from member %d", pe);
  }
  CHECK(((char*)b->cast_out)[0] == 'a' + n - 1, "from the last PE");
  shmem_team_destroy(reversed);
}

int main(void) {
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  struct buffers b = make_buffers();
  for (int round = 0; round < rounds; round++)
    for (size_t i = 0; i < LENGTH(lengths); i++) run(SHMEM_TEAM_WORLD, &b, lengths[i], round);
  run_mem(&b);
  shmemx_request_t nothing;
  CHECK(shmemx_broadcast_nb(SHMEM_TEAM_WORLD, (long*)NULL, (long*)NULL, 0, 0, &nothing) == 0 &&
            nothing == SHMEMX_REQUEST_INVALID,
        "nothing to do is complete");
  shmem_finalize();
  return 0;
}
