// One element of each width, by p and by g.
#include <string.h>

#include "cases.h"

static double got;

static void clear(long size) {
  (void)size;
  memset(remote_block, 0, target_words * 8);
}

// Values stay below 100, so that every type holds them. Element i mod 512 holds the last value.
static int value_of(long i) { return (int)(i % 97) + 1; }

#define TYPE(T, N)                                                                                                \
  static void p_##N(long first, long count) {                                                                     \
    T* const words = (T*)(void*)remote_block;                                                                     \
    for (long i = first + 1; i <= first + count; ++i) shmem_##N##_p(&words[word_of(i)], (T)value_of(i), next_pe); \
    shmem_quiet();                                                                                                \
  }                                                                                                               \
  static bool stored_##N(long first, long count) {                                                                \
    const T* const words = (const T*)(const void*)remote_block;                                                   \
    const long last = first + count, oldest = count < target_words ? first + 1 : last - target_words + 1;         \
    bool ok = true;                                                                                               \
    for (long i = oldest; i <= last; ++i) ok &= (int)words[word_of(i)] == value_of(i);                            \
    return ok || bench_me != 1 % bench_pes;                                                                       \
  }                                                                                                               \
  static void fill_##N(long size) {                                                                               \
    (void)size;                                                                                                   \
    T* const words = (T*)(void*)remote_block;                                                                     \
    for (long w = 0; w < target_words; ++w) words[w] = (T)(bench_me == 0 ? 99 : w % 97);                          \
  }                                                                                                               \
  static void g_##N(long first, long count) {                                                                     \
    const T* const words = (const T*)(const void*)remote_block;                                                   \
    double sum = 0;                                                                                               \
    for (long i = first + 1; i <= first + count; ++i) sum += (double)shmem_##N##_g(&words[word_of(i)], next_pe);  \
    got = sum;                                                                                                    \
  }

TYPE(signed char, schar)
TYPE(short, short)
TYPE(int, int)
TYPE(float, float)
TYPE(double, double)

static bool summed(long first, long count) {
  double sum = 0;
  for (long i = first + 1; i <= first + count; ++i) sum += (double)(word_of(i) % 97);
  return bench_me != 0 || got == sum;
}

#define ROWS(N)                                                                                      \
  {"elem." #N "_p", #N "_p", reference_store, clear, p_##N, stored_##N, bench_alone, eight_bytes}, { \
    "elem." #N "_g", #N "_g", reference_load, fill_##N, g_##N, summed, bench_alone, eight_bytes      \
  }

BENCH_KINDS = {{"elem.*", "pt2pt", "an element of each type by p or g", .completion = "remote"}};

static const bench_case cases[] = {ROWS(schar), ROWS(short), ROWS(int), ROWS(float), ROWS(double), {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: every value is one too small by p of int.
// Noticed by: elem.int_p
#ifdef BENCH_FAULT
void shmem_int_p(int* d, int v, int pe) { *(int*)shmem_ptr(d, pe) = v - 1; }
#endif
