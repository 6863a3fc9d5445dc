// Threads call put, get, p, g, fence, quiet and atomics at the same time: all on the default context, and each on its
// own private context.
#include "threads.h"

enum { rounds = 400, block = 97 };

static long inbox[thread_count][block], counter, own_counter[thread_count];
static uint64_t bits;

static void communicate(int number) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  long message[block], back[block];
  for (long r = 1; r <= rounds; r++) {
    for (int i = 0; i < block; i++) message[i] = r * 1000 + number * 100 + i;
    shmem_long_put(inbox[number], message, block, right);
    shmem_fence();
    shmem_long_p(&inbox[number][0], -r, right);
    shmem_quiet();
    shmem_long_get(back, inbox[number], block, right);
    CHECK(back[0] == -r, "thread %d, round %ld: p after put lost: %ld", number, r, back[0]);
    for (int i = 1; i < block; i++) CHECK(back[i] == message[i], "thread %d, round %ld: element %d", number, r, i);
    shmem_long_atomic_add(&counter, 1, 0);
    shmem_long_atomic_inc(&own_counter[number], right);
    shmem_uint64_atomic_xor(&bits, (uint64_t)1 << (number + 4 * (shmem_my_pe() % 8)), 0);
  }
}

static void communicate_privately(int number) {
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0, "thread %d: no context", number);
  long message[block], back[block];
  for (long r = 1; r <= rounds; r++) {
    for (int i = 0; i < block; i++) message[i] = -(r * 1000 + number * 100 + i);
    shmem_ctx_long_put_nbi(ctx, inbox[number], message, block, right);
    shmem_ctx_quiet(ctx);
    shmem_ctx_long_get_nbi(ctx, back, inbox[number], block, right);
    shmem_ctx_quiet(ctx);
    for (int i = 0; i < block; i++) CHECK(back[i] == message[i], "thread %d, round %ld: element %d", number, r, i);
    shmem_ctx_long_atomic_add(ctx, &counter, 1, 0);
  }
  shmem_ctx_destroy(ctx);
}

int main(void) {
  init_multiple();
  const long per_run = (long)thread_count * rounds * shmem_n_pes();
  run_threads(communicate);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) CHECK(counter == per_run, "%ld of %ld increments", counter, per_run);
  if (shmem_my_pe() == 0) CHECK(bits == 0, "xor an even number of times left %lx", (unsigned long)bits);
  for (int i = 0; i < thread_count; i++) CHECK(own_counter[i] == rounds, "thread %d: %ld", i, own_counter[i]);
  shmem_barrier_all();
  run_threads(communicate_privately);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) CHECK(counter == 2 * per_run, "%ld of %ld increments", counter, 2 * per_run);
  shmem_finalize();
  return 0;
}
