/* Broadcasts whose root writes its source before each call, as programs do but few benchmarks, or leaves it unchanged.
 * Prints the minimum of the batches' means, in us, for each length. OSHEN_COLL_BROADCAST selects the algorithm.
 *
 *   oshrun -n 2 bench-written-source written|unchanged [BATCHES]
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const size_t lengths[] = {2 << 10, 32 << 10, 128 << 10, 1 << 20};
enum { n_lengths = sizeof lengths / sizeof lengths[0], longest = 1 << 20 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static char *source, *dest;

/* From the sync before a call to its return on the last PE, without the write. */
static double batch(size_t bytes, int written, int calls) {
  static double mine, slowest;
  mine = 0;
  for (int i = 0; i < calls; i++) {
    if (written && shmem_my_pe() == 0) memset(source, i, bytes);
    shmem_sync_all();
    const double begin = now();
    shmem_char_broadcast(SHMEM_TEAM_WORLD, dest, source, bytes, 0);
    mine += now() - begin;
    if (written && (dest[0] != (char)i || dest[bytes - 1] != (char)i)) {
      fprintf(stderr, "written_source: PE %d: wrong data\n", shmem_my_pe());
      shmem_global_exit(1);
    }
  }
  shmem_double_max_reduce(SHMEM_TEAM_WORLD, &slowest, &mine, 1);
  return slowest / calls;
}

int main(int argc, char** argv) {
  const int written = argc > 1 && strcmp(argv[1], "written") == 0;
  const int batches = argc > 2 ? atoi(argv[2]) : 5;
  shmem_init();
  source = shmem_calloc(longest, 1);
  dest = shmem_malloc(longest);
  const char* who = getenv("OSHEN_COLL_BROADCAST");
  if (shmem_my_pe() == 0) printf("| %s, source %s", who ? who : "by itself", written ? "written" : "unchanged");
  for (int l = 0; l < n_lengths; l++) {
    double least = 1e30;
    for (int b = 0; b < batches; b++) {
      const double found = batch(lengths[l], written, lengths[l] < 100000 ? 2000 : 300);
      if (found < least) least = found;
    }
    if (shmem_my_pe() == 0) printf(" | %.2f", least);
  }
  if (shmem_my_pe() == 0) printf(" |\n");
  shmem_finalize();
  return 0;
}
