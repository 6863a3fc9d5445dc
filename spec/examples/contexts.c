/* SPDX-License-Identifier: BSD-3-Clause
 * Complete the puts of one context only. */
#include <shmem.h>
#include <stddef.h>

static long box[2];

int main(void) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_ctx_t ctx;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) ctx = SHMEM_CTX_DEFAULT; /* slower, and right */

  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  shmem_ctx_long_p(ctx, &box[0], 1, right);
  shmem_long_p(&box[1], 2, right); /* on the default context */
  shmem_ctx_session_stop(ctx);
  shmem_ctx_quiet(ctx); /* completes box[0] */
  if (ctx != SHMEM_CTX_DEFAULT) shmem_ctx_destroy(ctx);

  shmem_barrier_all(); /* completes box[1] */
  const int wrong = box[0] != 1 || box[1] != 2;
  shmem_finalize();
  return wrong;
}
