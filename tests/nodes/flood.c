/* flood MIB ROUNDS: in each round, every PE puts a block of MIB MiB to every other PE at once, and then tells it so.
 * The buffers of all connections are full in both directions. A wrong byte ends the job. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t word_of(int from, int round, size_t i) {
  return (uint64_t)(from + 1) * 1000003u + (uint64_t)round * 10007u + i;
}

static void check(const uint64_t* block, size_t words, int from, int round) {
  for (size_t i = 0; i < words; ++i) {
    if (block[i] == word_of(from, round, i)) continue;
    fprintf(stderr, "PE %d: round %d: word %zu of PE %d is wrong\n", shmem_my_pe(), round, i, from);
    shmem_global_exit(3);
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const size_t words = (size_t)atoi(argv[1]) << 17;
  const int rounds = atoi(argv[2]);
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  uint64_t* arriving = shmem_malloc((size_t)n * words * sizeof *arriving);
  uint64_t* arrived = shmem_calloc((size_t)n, sizeof *arrived);
  uint64_t* source = malloc(words * sizeof *source);
  if (arriving == NULL || arrived == NULL || source == NULL) shmem_global_exit(2);
  for (int round = 1; round <= rounds; ++round) {
    for (size_t i = 0; i < words; ++i) source[i] = word_of(me, round, i);
    shmem_barrier_all();
    for (int pe = (me + 1) % n; pe != me; pe = (pe + 1) % n)
      shmem_uint64_put_signal_nbi(arriving + (size_t)me * words, source, words, arrived + me, (uint64_t)round,
                                  SHMEM_SIGNAL_SET, pe);
    for (int pe = (me + 1) % n; pe != me; pe = (pe + 1) % n) {
      shmem_signal_wait_until(arrived + pe, SHMEM_CMP_GE, (uint64_t)round);
      check(arriving + (size_t)pe * words, words, pe, round);
    }
    shmem_quiet();
    if (me == 0) printf("round %d\n", round), fflush(stdout);
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
