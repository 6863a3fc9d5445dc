/* large_transfers N: PE 0 gets large blocks of PE 1, and puts them back. Meanwhile the threads of the library look at
 * the network at most N times for each block: they stand aside while one call of the program receives for long. */
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

static atomic_long looks; /* of threads of the library */

/* Takes the place of the function of libc. */
int ppoll(struct pollfd* fds, nfds_t n, const struct timespec* limit, const sigset_t* mask) {
  if (gettid() != getpid()) ++looks;
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
  looks = 0;
  for (int round = 0; me == 0 && round < rounds; ++round) {
    shmem_uint64_get(local, block, words, 1);
    shmem_uint64_put(block, local, words, 1);
    shmem_quiet();
    if (local[words - 1] == 2 * (uint64_t)(words - 1)) continue;
    fprintf(stderr, "round %d: a wrong word\n", round);
    shmem_global_exit(3);
  }
  const double for_a_block = (double)looks / (2 * rounds);
  if (me == 0) printf("threads of the library looked %.1f times for each block\n", for_a_block);
  if (me == 0 && for_a_block > atof(argv[1])) shmem_global_exit(1);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
