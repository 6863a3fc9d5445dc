/* large_gets MIB ROUNDS: in each round every PE gets a block of MIB MiB from every other PE at once, and adds to a
 * counter of each of them with a fetching atomic operation. The replies fill all connections in both directions. A
 * wrong byte ends the job. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

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
  uint64_t* block = shmem_malloc(words * sizeof *block);
  uint64_t* counter = shmem_calloc(1, sizeof *counter);
  uint64_t* got = malloc((size_t)n * words * sizeof *got);
  if (block == NULL || counter == NULL || got == NULL) shmem_global_exit(2);
  for (int round = 1; round <= rounds; ++round) {
    for (size_t i = 0; i < words; ++i) block[i] = word_of(me, round, i);
    shmem_barrier_all();
    for (int pe = (me + 1) % n; pe != me; pe = (pe + 1) % n)
      shmem_uint64_get_nbi(got + (size_t)pe * words, block, words, pe);
    const uint64_t limit = (uint64_t)round * (uint64_t)(n - 1);
    for (int pe = (me + 1) % n; pe != me; pe = (pe + 1) % n)
      if (shmem_uint64_atomic_fetch_add(counter, 1, pe) >= limit) shmem_global_exit(4);
    shmem_quiet();
    for (int pe = (me + 1) % n; pe != me; pe = (pe + 1) % n) check(got + (size_t)pe * words, words, pe, round);
    shmem_barrier_all();
    if (*counter != limit) shmem_global_exit(5);
    if (me == 0) printf("round %d\n", round), fflush(stdout);
  }
  shmem_finalize();
  return 0;
}
