/* SPDX-License-Identifier: BSD-3-Clause
 * Each PE communicates with the next one by every kind of call that timeline_test.py expects in the trace. PE 2 enters
 * the sync last. */
#include <pshmem.h>
#include <shmem.h>
#include <stdint.h>
#include <unistd.h>

static long word, counter, locked, ready;
static uint64_t signalled;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  long *const block = shmem_malloc(1000 * sizeof *block), mine[1000] = {0};
  shmem_ctx_t context;
  const int has_context = shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) == 0;
  shmem_barrier_all();

  usleep(me == 0 ? 20000 : 0); /* so that PE 1 waits for PE 0, PE 2 for PE 1, and so on */
  if (me != 0) shmem_long_wait_until(&word, SHMEM_CMP_EQ, me);
  if (next != 0) shmem_long_p(&word, next, next);
  shmem_putmem_signal(block, mine, 500 * sizeof *mine, &signalled, 1, SHMEM_SIGNAL_ADD, next);
  shmem_signal_wait_until(&signalled, SHMEM_CMP_EQ, 1);
  shmem_long_atomic_inc(&counter, next);
  if (has_context) shmem_ctx_long_put_nbi(context, block + 700, mine + 700, 10, next);
  if (has_context) shmem_ctx_quiet(context);
  shmem_long_get(mine, block + 800, 100, next);
  shmem_set_lock(&locked);
  shmem_clear_lock(&locked);

  shmem_barrier_all();
  if (n > 2) pshmem_long_atomic_inc(&ready, 2); /* not traced */
  if (me == 2) {
    pshmem_long_wait_until(&ready, SHMEM_CMP_EQ, n);
    usleep(100000);
  }
  shmem_team_sync(SHMEM_TEAM_WORLD);
  shmem_long_broadcast(SHMEM_TEAM_WORLD, block, block + 500, 10, 1);
  if (has_context) shmem_ctx_destroy(context);
  shmem_free(block);
  shmem_finalize();
  return 0;
}
