/* The limit of large collectives of two PEs: two pinned processes copy blocks of 1 MiB through shared memory, in the
 * patterns of the collectives, with every copy routine of the CPU. Prints a table of medians, in us.
 *
 *   bench-raw-copies [BATCHES [OPERATIONS]]     default: 7 and 40
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { block = 1 << 20, chunk = 16 << 10, most_batches = 31 };

typedef void copy(char* to, const char* from, size_t bytes);

/* ---- copy routines */

static void by_memcpy(char* to, const char* from, size_t bytes) { memcpy(to, from, bytes); }
static int always(void) { return 1; }
#if defined(__x86_64__)
static void by_rep_movsb(char* to, const char* from, size_t bytes) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
static void by_sse2(char* to, const char* from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 16)
    _mm_store_si128((__m128i*)(to + i), _mm_load_si128((const __m128i*)(from + i)));
}
static void by_streams(char* to, const char* from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 16)
    _mm_stream_si128((__m128i*)(to + i), _mm_load_si128((const __m128i*)(from + i)));
  _mm_sfence();
}
__attribute__((target("avx512f"))) static void by_avx512(char* to, const char* from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) _mm512_store_si512(to + i, _mm512_load_si512(from + i));
}
static int has_avx512(void) { return __builtin_cpu_supports("avx512f"); }
#endif

static const struct {
  const char* name;
  copy* run;
  int (*there)(void);
} ways[] = {{"memcpy", by_memcpy, always},
#if defined(__x86_64__)
            {"rep movsb", by_rep_movsb, always},
            {"AVX-512", by_avx512, has_avx512},
            {"SSE2", by_sse2, always},
            {"non-temporal", by_streams, always}
#endif
};
enum { n_ways = sizeof ways / sizeof ways[0] };

/* ---- the two processes */

struct shared {
  _Alignas(128) atomic_long arrived[2][16]; /* a cache line each */
  _Alignas(4096) char source[2][2 * block]; /* of each process, one block per process */
  char dest[2][2][2 * block];               /* of each process, two used in turn */
};
static struct shared* page;
static int me;
static volatile long sink;

static void meet(void) {
  const long turn = atomic_load_explicit(&page->arrived[me][0], memory_order_relaxed) + 1;
  atomic_store_explicit(&page->arrived[me][0], turn, memory_order_release);
  while (atomic_load_explicit(&page->arrived[1 - me][0], memory_order_acquire) < turn) continue;
}

/* ---- patterns: `turn` selects the dest */

static void fcollect(copy* run, int turn) {
  run(page->dest[1 - me][turn] + me * block, page->source[me], block);
  run(page->dest[me][turn] + me * block, page->source[me], block);
}
static void fcollect_pieces(copy* run, int turn) {
  for (int i = 0; i < block; i += chunk)
    for (int k = 1; k <= 2; k++) run(page->dest[(me + k) % 2][turn] + me * block + i, page->source[me] + i, chunk);
}
static void broadcast(copy* run, int turn) {
  if (me == 0) run(page->dest[1][turn], page->source[0], block);
}
static void broadcast_shared(copy* run, int turn) {
  run(page->dest[1][turn] + me * (block / 2), page->source[0] + me * (block / 2), block / 2);
}
static void broadcast_shared_both(copy* run, int turn) {
  for (int pe = 0; pe < 2; pe++)
    run(page->dest[pe][turn] + me * (block / 2), page->source[0] + me * (block / 2), block / 2);
}
static void alltoall(copy* run, int turn) {
  for (int k = 1; k <= 2; k++) {
    const int pe = (me + k) % 2;
    run(page->dest[pe][turn] + me * block, page->source[me] + pe * block, block);
  }
}
static void alltoall_read(copy* run, int turn) {
  alltoall(run, turn);
  meet();
  const long* words = (const long*)(void*)page->dest[me][turn];
  long sum = 0;
  for (size_t i = 0; i < 2 * block / sizeof *words; i++) sum += words[i];
  sink = sum;
}

static const struct {
  const char* name;
  void (*run)(copy* way, int turn);
} patterns[] = {{"fcollect, block to the peer, then to itself", fcollect},
                {"fcollect, both copies of 16 KiB at a time", fcollect_pieces},
                {"broadcast by the root alone (no copy for itself)", broadcast},
                {"broadcast, each PE half of the one dest", broadcast_shared},
                {"broadcast, each PE half of both dests", broadcast_shared_both},
                {"alltoall of 1 MiB blocks", alltoall},
                {"the same, and then each PE reads its dest", alltoall_read}};
enum { n_patterns = sizeof patterns / sizeof patterns[0] };

/* ---- measurement */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double batch(int pattern, int way, int operations) {
  patterns[pattern].run(ways[way].run, 0);
  meet();
  const double begin = now();
  for (int i = 0; i < operations; i++) {
    patterns[pattern].run(ways[way].run, i % 2);
    meet();
  }
  return (now() - begin) / operations;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void pin(int process) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  int seen = 0;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all) && seen++ == process) CPU_SET(cpu, &one);
  if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one);
}

int main(int argc, char** argv) {
  const int batches = argc > 1 ? atoi(argv[1]) : 7, operations = argc > 2 ? atoi(argv[2]) : 40;
  if (batches < 1 || batches > most_batches || operations < 1) {
    fprintf(stderr, "usage: bench-raw-copies [BATCHES (1 .. %d) [OPERATIONS]]\n", most_batches);
    return 2;
  }
  static double times[n_patterns][n_ways][most_batches];
  page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 2;
  memset(page->source, 1, sizeof page->source);
  memset(page->dest, 2, sizeof page->dest);
  const pid_t peer = fork();
  if (peer < 0) return 2;
  me = peer == 0;
  pin(me);
  for (int b = 0; b < batches; b++)
    for (int p = 0; p < n_patterns; p++)
      for (int w = 0; w < n_ways; w++)
        if (ways[w].there()) times[p][w][b] = batch(p, w, operations);
  if (peer == 0) return 0;
  waitpid(peer, NULL, 0);
  printf("| us");
  for (int w = 0; w < n_ways; w++) printf(" | %s", ways[w].name);
  printf(" |\n|---|");
  for (int w = 0; w < n_ways; w++) printf("---|");
  for (int p = 0; p < n_patterns; p++) {
    printf("\n| %s", patterns[p].name);
    for (int w = 0; w < n_ways; w++) {
      qsort(times[p][w], (size_t)batches, sizeof(double), by_value);
      printf(" | %.0f", times[p][w][batches / 2]);
    }
    printf(" |");
  }
  printf("\n");
  return 0;
}
