// Every reduction on int, long, float and double over all PEs, 64 elements: reduce.OPERATION.TYPE.
#include <string.h>

#include "cases.h"

enum { elements = 64 };

static double wrong;

#if BENCH_HAS_TEAMS
#define REDUCE(OP, N, dest, source) shmem_##N##_##OP##_reduce(SHMEM_TEAM_WORLD, dest, source, elements)
#define HOW(OP, N) #N "_" #OP "_reduce"
#else
static long sync_words[2][SHMEM_REDUCE_SYNC_SIZE];
static double work_words[2][elements + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
#define REDUCE(OP, N, dest, source) \
  shmem_##N##_##OP##_to_all(dest, source, elements, 0, 0, bench_pes, (void*)work_words[i % 2], sync_words[i % 2])
#define HOW(OP, N) #N "_" #OP "_to_all"
#endif

static void prepare(long size) {
  (void)size;
  wrong = 0;
#if !BENCH_HAS_TEAMS
  for (int half = 0; half < 2; ++half)
    for (int w = 0; w < SHMEM_REDUCE_SYNC_SIZE; ++w) sync_words[half][w] = SHMEM_SYNC_VALUE;
#endif
  shmem_barrier_all();
}

// Small numbers are exact in every type: PE p gives 1 + (i + p) mod 2, for bitwise operations 3 << p mod 3.
static int given(long i, int pe) { return 1 + (int)((i + pe) % 2); }
static int bits(long i, int pe) { return 3 << (i + pe) % 3; }

static double answer(const char* op, long i) {
  double sum = 0, product = 1, least = 9, most = 0;
  int and = ~0, or = 0, xor = 0;
  for (int pe = 0; pe < bench_pes; ++pe) {
    const int value = given(i, pe), word = bits(i, pe);
    sum += value;
    product *= pe < 20 ? value : 1;
    least = value < least ? value : least;
    most = value > most ? value : most;
    and &= word;
    or |= word;
    xor ^= word;
  }
  if (strcmp(op, "sum") == 0) return sum;
  if (strcmp(op, "prod") == 0) return product;
  if (strcmp(op, "min") == 0) return least;
  if (strcmp(op, "max") == 0) return most;
  return strcmp(op, "and") == 0 ? and : strcmp(op, "or") == 0 ? or : xor;
}

// Results have a period of 6 in k and are computed before the loop. Timed operations fill and check the first and the
// last element; the operation of right_answers fills and checks all of them, each with its own k.
static bool in_full;
static void (*body)(long first, long count);  // of the present case
static long distance(void) { return in_full ? 1 : elements - 1; }

#define BODY(OP, T, N, value)                                                                               \
  static void OP##_##N(long first, long count) {                                                            \
    T* const source = (T*)(void*)remote_block;                                                              \
    double right[6];                                                                                        \
    body = OP##_##N;                                                                                        \
    for (long i = 0; i < 6; ++i) right[i] = answer(#OP, i);                                                 \
    for (long i = first + 1; i <= first + count; ++i) {                                                     \
      T* const dest = (T*)(void*)(remote_block + 4096 * (1 + i % 2));                                       \
      for (long e = 0, k = i; e < elements; e += distance(), k = in_full ? i + e : i) source[e] = (T)value; \
      REDUCE(OP, N, dest, source);                                                                          \
      for (long e = 0, k = i; e < elements; e += distance(), k = in_full ? i + e : i)                       \
        wrong += (double)dest[e] != right[k % 6];                                                           \
    }                                                                                                       \
  }
#define TYPE(T, N)                                           \
  BODY(sum, T, N, given(k, bench_me))                        \
  BODY(prod, T, N, (bench_me < 20 ? given(k, bench_me) : 1)) \
  BODY(min, T, N, given(k, bench_me)) BODY(max, T, N, given(k, bench_me))
#if BENCH_HAS_TEAMS  // with teams: bitwise operations on unsigned types only
TYPE(int, int)
TYPE(long, long)
BODY(and, unsigned, uint, bits(k, bench_me))
BODY(or, unsigned, uint, bits(k, bench_me))
BODY(xor, unsigned, uint, bits(k, bench_me))
#define BITWISE uint
#else
TYPE(int, int)
TYPE(long, long)
BODY(and, int, int, bits(k, bench_me))
BODY(or, int, int, bits(k, bench_me))
BODY(xor, int, int, bits(k, bench_me))
#define BITWISE int
#endif
TYPE(float, float)
TYPE(double, double)

static bool right_answers(long first, long count) {
  memset(remote_block + 4096, 0x5a, 2 * 4096);
  bench_barrier();
  in_full = true;
  body(first + count, 1);
  in_full = false;
  return count > 0 && wrong == 0;
}

#define ROW(OP, N) {"reduce." #OP "." #N, HOW(OP, N), 0, prepare, OP##_##N, right_answers, bench_everyone, NULL}
#define ROW_(OP, N) ROW(OP, N)
#define ROWS(N) ROW(sum, N), ROW(prod, N), ROW(min, N), ROW(max, N)

BENCH_KINDS = {{"reduce.*", "collectives", "one reduction by operation and type", .completion = "notified"}};

static const bench_case cases[] = {ROWS(int),          ROWS(long),        ROWS(float),        ROWS(double),
                                   ROW_(and, BITWISE), ROW_(or, BITWISE), ROW_(xor, BITWISE), {0}};

BENCH_CASES(bench_any_pes, cases)
