/* large_transfers N: the PEs get large blocks from each other, and put them back. Meanwhile the threads of a PE wait
 * for the network at most N times for each block: no thread looks for what another one receives. */
#define _GNU_SOURCE
#include <poll.h>
#include <shmem.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { words = 1 << 20, rounds = 40 };

static atomic_long waits; /* for the network */

/* Takes the place of the function of libc. */
int ppoll(struct pollfd* fds, nfds_t n, const struct timespec* limit, const sigset_t* mask) {
  ++waits;
  struct timespec rest = limit != NULL ? *limit : (struct timespec){0};
  return (int)syscall(SYS_ppoll, fds, n, limit != NULL ? &rest : NULL, mask, sizeof(long));
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  shmem_init();
  const int me = shmem_my_pe();
  uint64_t* block = shmem_malloc(words * sizeof *block);
  uint64_t* local = malloc(words * sizeof *local);
  if (block == NULL || local == NULL) shmem_global_exit(2);
  for (uint64_t i = 0; i < words; ++i) block[i] = i * (uint64_t)(me + 1);
  shmem_barrier_all();
  waits = 0;
  for (int worker = 0; worker < 2; ++worker) {
    for (int round = 0; me == worker && round < rounds; ++round) {
      shmem_uint64_get(local, block, words, !me);
      if (local[words - 1] != (uint64_t)(2 - me) * (words - 1)) shmem_global_exit(3);
      shmem_uint64_put(block, local, words, !me);
    }
    shmem_barrier_all();
  }
  const double for_a_block = (double)waits / (4 * rounds);
  printf("PE %d: waited %.1f times for each block\n", me, for_a_block);
  if (for_a_block > atof(argv[1])) shmem_global_exit(1);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
