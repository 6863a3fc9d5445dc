// shmem_finalize completes the operations of all contexts, also of those that the program has neither quieted nor
// destroyed. They are puts, gets, fetching atomics and signals, on the default context, on others, and on contexts of a
// team.
// @since 1.5
// @run pes=1,2,3
#include <string.h>

#include "check.h"
#include "pattern.h"

enum { contexts = 40, bytes = 3000 };  // chaos delays some of the messages for long

static unsigned char dest[contexts + 1][bytes], offered[bytes];
static long counters[contexts + 1];
static uint64_t signals[contexts + 1];

struct fetched {
  unsigned char bytes[bytes];
  long counter;
};

static void start_all(shmem_ctx_t ctx, int i, const unsigned char* source, struct fetched* into, int pe) {
  shmem_ctx_getmem_nbi(ctx, into->bytes, offered, bytes, pe);
  shmem_ctx_long_atomic_fetch_add_nbi(ctx, &into->counter, &counters[i], 5, pe);
  shmem_ctx_putmem_signal_nbi(ctx, dest[i], source, bytes, &signals[i], 7, SHMEM_SIGNAL_SET, pe);
}

int main(void) {
  static const long options[4] = {0, SHMEM_CTX_PRIVATE, SHMEM_CTX_SERIALIZED, SHMEM_CTX_NOSTORE};
  static struct fetched fetched[contexts + 1];
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  unsigned char* source = malloc(bytes);
  pattern_fill(source, bytes, (unsigned)me);
  pattern_fill(offered, bytes, (unsigned)me + 100);
  shmem_team_t team;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0, "no team");
  for (int i = 0; i <= contexts; i++) counters[i] = 10 * me + i;
  shmem_barrier_all();
  start_all(SHMEM_CTX_DEFAULT, contexts, source, &fetched[contexts], right);
  for (int i = 0; i < contexts; i++) {
    shmem_ctx_t ctx;
    const long option = options[i % 4];
    const int made = i < contexts / 2 ? shmem_ctx_create(option, &ctx) : shmem_team_create_ctx(team, option, &ctx);
    CHECK(made == 0, "no context %d", i);
    start_all(ctx, i, source, &fetched[i], right);
  }
  shmem_finalize();
  for (int i = 0; i <= contexts; i++) {
    CHECK(pattern_mismatch(fetched[i].bytes, bytes, (unsigned)right + 100) == bytes, "context %d: get", i);
    CHECK(fetched[i].counter == 10 * right + i, "context %d: fetched %ld", i, fetched[i].counter);
    CHECK(signals[i] == 7, "context %d: signal %llu", i, (unsigned long long)signals[i]);
    CHECK(pattern_mismatch(dest[i], bytes, (unsigned)left) == bytes, "context %d: put", i);
    CHECK(counters[i] == 10 * me + i + 5, "context %d: counter %ld", i, counters[i]);
  }
  free(source);
  return 0;
}
