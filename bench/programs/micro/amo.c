// Every atomic on 32 and 64 bits: amo.OPERATION.BITS.TARGET. Target `private`: PE 0 alone, on 512 objects of the other
// PE in turn (as OMB does); `same`: PE 0 alone on one object; `incast`: all PEs on one object of PE 0. A quiet at the
// end of the batch completes operations that fetch nothing. amo_nbi.* are the non-blocking atomics, completed every
// 512.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

typedef unsigned long u64;
typedef unsigned int u32;

enum { constant = 3 };  // the value that is added

static volatile void* at;  // symmetric objects
static int to;             // the PE of the objects
static long words;
static u64 fetched;  // sum of fetched values in this batch; of swaps: values given minus values fetched

// The operand of operation i.
static inline u64 bit(long i, int pe) { return (u64)1 << ((u64)(i + pe) % 32); }
static inline u64 mixed(long i, int pe) { return (u64)i * 2654435761u + (u64)pe * 40503u; }
static inline u64 numbered(long i, int pe) { return (u64)i * (u64)bench_pes + (u64)pe + 1; }
static inline u64 before(long i) {  // the value of the object before operation i, with `words` objects
  return i > words ? numbered(i - words, 0) : 0;
}

#define BODY(name, T, statement)                         \
  static void name(long first, long count) {             \
    u64 sum = 0;                                         \
    for (long i = first + 1; i <= first + count; ++i) {  \
      T* const word = (T*)(u64)at + (u64)i % (u64)words; \
      statement;                                         \
    }                                                    \
    shmem_quiet();                                       \
    fetched = sum;                                       \
    page_set(&page->progress[bench_me], sum);            \
  }

// Under contention the old value is unknown: a PE fetches it, then counts the swaps without interference.
#define CASUAL_SWAP(name, T, call)                       \
  static void name(long first, long count) {             \
    u64 swapped = 0;                                     \
    T* const word = (T*)(u64)at;                         \
    T seen = 0;                                          \
    for (long i = first + 1; i <= first + count; ++i) {  \
      const T old = call(word, seen, (T)(seen + 1), to); \
      swapped += old == seen;                            \
      seen = old == seen ? (T)(seen + 1) : old;          \
    }                                                    \
    page_set(&page->progress[bench_me], swapped);        \
  }

#define BODIES(T, N)                                                                                            \
  BODY(set_##N, T, shmem_##N##_atomic_set(word, (T)numbered(i, bench_me), to))                                  \
  BODY(inc_##N, T, shmem_##N##_atomic_inc(word, to))                                                            \
  BODY(add_##N, T, shmem_##N##_atomic_add(word, (T)constant, to))                                               \
  BODY(and_##N, T, shmem_##N##_atomic_and(word, (T)~bit(i, bench_me), to))                                      \
  BODY(or_##N, T, shmem_##N##_atomic_or(word, (T)bit(i, bench_me), to))                                         \
  BODY(xor_##N, T, shmem_##N##_atomic_xor(word, (T)mixed(i, bench_me), to))                                     \
  BODY(fetch_##N, T, sum += shmem_##N##_atomic_fetch(word, to))                                                 \
  BODY(swap_##N, T, sum += numbered(i, bench_me) - shmem_##N##_atomic_swap(word, (T)numbered(i, bench_me), to)) \
  BODY(compare_swap_##N, T, sum += shmem_##N##_atomic_compare_swap(word, (T)before(i), (T)numbered(i, 0), to))  \
  CASUAL_SWAP(casual_swap_##N, T, shmem_##N##_atomic_compare_swap)                                              \
  BODY(fetch_inc_##N, T, sum += shmem_##N##_atomic_fetch_inc(word, to))                                         \
  BODY(fetch_add_##N, T, sum += shmem_##N##_atomic_fetch_add(word, (T)constant, to))                            \
  BODY(fetch_and_##N, T, sum += shmem_##N##_atomic_fetch_and(word, (T)~bit(i, bench_me), to))                   \
  BODY(fetch_or_##N, T, sum += shmem_##N##_atomic_fetch_or(word, (T)bit(i, bench_me), to))                      \
  BODY(fetch_xor_##N, T, sum += shmem_##N##_atomic_fetch_xor(word, (T)mixed(i, bench_me), to))

BODIES(u32, uint)
BODIES(u64, ulong)

#if BENCH_HAS_NBI_ATOMICS
#define BODY_NBI(name, T, statement)                                                              \
  static void name(long first, long count) {                                                      \
    static T got[target_words];                                                                   \
    u64 sum = 0;                                                                                  \
    for (long i = first + 1; i <= first + count; ++i) {                                           \
      const u64 w = (u64)i % (u64)words;                                                          \
      T* const word = (T*)(u64)at + w;                                                            \
      if (i > first + words) sum += got[w];                                                       \
      statement;                                                                                  \
      if (w == (u64)words - 1) shmem_quiet();                                                     \
    }                                                                                             \
    shmem_quiet();                                                                                \
    for (long i = count < words ? first + 1 : first + count - words + 1; i <= first + count; ++i) \
      sum += got[(u64)i % (u64)words];                                                            \
    fetched = sum;                                                                                \
  }
#define BODIES_NBI(T, N)                                                                             \
  BODY_NBI(nbi_fetch_##N, T, shmem_##N##_atomic_fetch_nbi(&got[w], word, to))                        \
  BODY_NBI(nbi_swap_##N, T, shmem_##N##_atomic_swap_nbi(&got[w], word, (T)numbered(i, 0), to))       \
  BODY_NBI(nbi_compare_swap_##N, T,                                                                  \
           shmem_##N##_atomic_compare_swap_nbi(&got[w], word, (T)before(i), (T)numbered(i, 0), to))  \
  BODY_NBI(nbi_fetch_inc_##N, T, shmem_##N##_atomic_fetch_inc_nbi(&got[w], word, to))                \
  BODY_NBI(nbi_fetch_add_##N, T, shmem_##N##_atomic_fetch_add_nbi(&got[w], word, (T)constant, to))   \
  BODY_NBI(nbi_fetch_and_##N, T, shmem_##N##_atomic_fetch_and_nbi(&got[w], word, (T)~bit(i, 0), to)) \
  BODY_NBI(nbi_fetch_or_##N, T, shmem_##N##_atomic_fetch_or_nbi(&got[w], word, (T)bit(i, 0), to))    \
  BODY_NBI(nbi_fetch_xor_##N, T, shmem_##N##_atomic_fetch_xor_nbi(&got[w], word, (T)mixed(i, 0), to))
BODIES_NBI(u32, uint)
BODIES_NBI(u64, ulong)
#endif

// ---- the expected result: every PE replays all operations on objects of its own

static const char* operation;  // from the name of the case
static u64 mask;
static bool shared_by_all;
static u64 model[target_words];

static bool is(const char* name) {
  return strncmp(operation, name, strlen(name)) == 0 && operation[strlen(name)] == '.';
}
static bool is_either(const char* plain, const char* fetching) { return is(plain) || is(fetching); }

static void prepare(long size) {
  (void)size;
  operation = strchr(bench_current->name, '.') + 1;
  mask = strstr(operation, ".32.") != NULL ? 0xffffffffu : ~(u64)0;
  shared_by_all = strstr(operation, ".incast") != NULL;
  words = strstr(operation, ".private") != NULL ? target_words : 1;
  to = shared_by_all ? 0 : next_pe;
  at = target;
  const bool ones = is_either("and", "fetch_and");
  for (long w = 0; w < target_words; ++w) model[w] = ones ? mask : 0;
  memset(target, ones ? 0xff : 0, target_words * sizeof *target);
}

static u64 after(u64 old, long i, int pe) {
  if (is("set") || is("swap") || is("compare_swap")) return numbered(i, pe);
  if (is_either("inc", "fetch_inc")) return old + 1;
  if (is_either("add", "fetch_add")) return old + constant;
  if (is_either("and", "fetch_and")) return old & ~bit(i, pe);
  if (is_either("or", "fetch_or")) return old | bit(i, pe);
  if (is_either("xor", "fetch_xor")) return old ^ mixed(i, pe);
  return old;
}

// The operation is selected once for a batch, not for each operation.
static u64 play(long first, long count, int pe) {
  u64 sum = 0;
  const bool swaps = is("swap") && strncmp(bench_current->name, "amo.", 4) == 0;
  for (long i = first + 1; i <= first + count; ++i) {
    u64* const word = &model[(u64)i % (u64)words];
    sum += swaps ? numbered(i, pe) - *word : *word;
    *word = after(*word, i, pe) & mask;
  }
  return sum;
}

static u64 word_here(long w) { return mask == ~(u64)0 ? ((u64*)(void*)target)[w] : ((u32*)(void*)target)[w]; }

static bool words_are_right(void) {
  bool ok = true;
  for (long w = 0; w < words; ++w) ok &= word_here(w) == model[w];
  return ok;
}

static u64 told_by_all(void) {
  u64 sum = 0;
  for (int pe = 0; pe < bench_pes; ++pe) sum += page_get(&page->progress[pe]);
  return sum;
}

// The order is unknown, but the sum is the same in every order.
static bool incast_is_right(long first, long count) {
  const u64 initial = model[0], all = (u64)count * (u64)bench_pes;
  u64 expected = initial;
  if (is("set") || is("swap")) {
    expected = word_here(0);
    const bool last = is("swap") || (expected - 1) / (u64)bench_pes == ((u64)(first + count) & mask);
    const bool kept = !is("swap") || ((initial + told_by_all()) & mask) == expected;
    model[0] = expected;
    return last && kept;
  }
  if (is("compare_swap"))
    expected = (initial + told_by_all()) & mask;
  else
    for (int pe = 0; pe < bench_pes; ++pe) {
      play(first, count, pe);
      expected = model[0];
    }
  model[0] = expected;
  const u64 step = is("fetch_inc") ? 1 : is("fetch_add") ? constant : 0;
  const bool sums = is("fetch_inc") || is("fetch_add") || is("fetch");
  return word_here(0) == expected && (!sums || told_by_all() == all * initial + step * (all * (all - 1) / 2));
}

static bool valid(long first, long count) {
  if (shared_by_all) return bench_me != 0 || incast_is_right(first, count);
  const u64 sum = play(first, count, 0);
  if (bench_me == 0 && (strstr(operation, "fetch") != NULL || strstr(operation, "swap") != NULL) &&
      ((sum ^ fetched) & mask) != 0)
    return false;
  return bench_me != 1 % bench_pes || words_are_right();
}

BENCH_KINDS = {{"amo.*", "atomics", "one atomic by width and target", .radar = true},
               {"amo_nbi.*", "atomics", "non-blocking atomic", .completion = "remote"}};

// ---- the cases: each operation by width and target

typedef void (*body)(long first, long count);

static const struct {
  const char* name;
  body bodies[2];  // for 32 and for 64 bits
  int reference;
  body shared[2];  // for `incast`, if another one
} operations[] = {
    {"set", {set_uint, set_ulong}, reference_store, {0}},
    {"inc", {inc_uint, inc_ulong}, reference_xadd, {0}},
    {"add", {add_uint, add_ulong}, reference_xadd, {0}},
    {"and", {and_uint, and_ulong}, reference_xadd, {0}},
    {"or", {or_uint, or_ulong}, reference_xadd, {0}},
    {"xor", {xor_uint, xor_ulong}, reference_xadd, {0}},
    {"fetch", {fetch_uint, fetch_ulong}, reference_load, {0}},
    {"swap", {swap_uint, swap_ulong}, reference_xadd, {0}},
    {"fetch_inc", {fetch_inc_uint, fetch_inc_ulong}, reference_xadd, {0}},
    {"fetch_add", {fetch_add_uint, fetch_add_ulong}, reference_xadd, {0}},
    {"fetch_and", {fetch_and_uint, fetch_and_ulong}, reference_xadd, {0}},
    {"fetch_or", {fetch_or_uint, fetch_or_ulong}, reference_xadd, {0}},
    {"fetch_xor", {fetch_xor_uint, fetch_xor_ulong}, reference_xadd, {0}},
    {"compare_swap", {compare_swap_uint, compare_swap_ulong}, reference_xadd, {casual_swap_uint, casual_swap_ulong}},
};

#if BENCH_HAS_NBI_ATOMICS
static const struct {
  const char* name;
  body bodies[2];
} nbi_operations[] = {
    {"fetch", {nbi_fetch_uint, nbi_fetch_ulong}},
    {"swap", {nbi_swap_uint, nbi_swap_ulong}},
    {"compare_swap", {nbi_compare_swap_uint, nbi_compare_swap_ulong}},
    {"fetch_inc", {nbi_fetch_inc_uint, nbi_fetch_inc_ulong}},
    {"fetch_add", {nbi_fetch_add_uint, nbi_fetch_add_ulong}},
    {"fetch_and", {nbi_fetch_and_uint, nbi_fetch_and_ulong}},
    {"fetch_or", {nbi_fetch_or_uint, nbi_fetch_or_ulong}},
    {"fetch_xor", {nbi_fetch_xor_uint, nbi_fetch_xor_ulong}},
};
enum { n_nbi = sizeof nbi_operations / sizeof *nbi_operations };
#else
enum { n_nbi = 0 };
#endif

enum { n_operations = sizeof operations / sizeof *operations, longest_text = 64 };
static bench_case cases[2 * (3 * n_operations + n_nbi) + 1];
static char texts[2 * (3 * n_operations + n_nbi)][2][longest_text];  // the name and the calls of each case
static int n_cases;

static void add_case(const char* family, const char* name, int width, const char* where, const char* calls, body run,
                     int reference, int mode) {
  char(*const text)[longest_text] = texts[n_cases];
  snprintf(text[0], longest_text, "%s.%s.%d.%s", family, name, width == 0 ? 32 : 64, where);
  snprintf(text[1], longest_text, "atomic_%s%s", name, calls);
  cases[n_cases++] = (bench_case){text[0], text[1], reference, prepare, run, valid, mode, eight_bytes};
}

__attribute__((constructor)) static void register_cases(void) {
  for (int width = 0; width < 2; ++width)
    for (int i = 0; i < n_operations; ++i) {
      const body own = operations[i].bodies[width], shared = operations[i].shared[width];
      const char* const name = operations[i].name;
      const int reference = operations[i].reference;
      add_case("amo", name, width, "private", "", own, reference, bench_alone);
      add_case("amo", name, width, "same", "", own, reference, bench_alone);
      add_case("amo", name, width, "incast", ", all PEs on one word", shared != NULL ? shared : own, reference,
               bench_everyone);
    }
#if BENCH_HAS_NBI_ATOMICS
  for (int width = 0; width < 2; ++width)
    for (int i = 0; i < n_nbi; ++i)
      add_case("amo_nbi", nbi_operations[i].name, width, "private", "_nbi", nbi_operations[i].bodies[width],
               reference_xadd, bench_alone);
#endif
  bench_register(bench_two_pes, cases);
}

// Fault: every hundredth atomic add is lost.
// Noticed by: amo.add.64.private, amo.add.64.same, amo.add.64.incast
#ifdef BENCH_FAULT
void shmem_ulong_atomic_add(unsigned long* d, unsigned long v, int pe) {
  static int k;
  if (++k % 100) __atomic_fetch_add((unsigned long*)shmem_ptr(d, pe), v, __ATOMIC_SEQ_CST);
}
#endif

// Fault: an atomic increment is not atomic.
// Noticed by: amo.fetch_inc.64.incast
#ifdef BENCH_FAULT
unsigned long shmem_ulong_atomic_fetch_inc(unsigned long* d, int pe) {
  volatile unsigned long* at = shmem_ptr(d, pe);
  unsigned long old = *at;
  for (volatile int i = 0; i < 20; ++i) {
  }
  *at = old + 1;
  return old;
}
#endif

// Fault: a compare and swap swaps whatever was there, and an xor is an or.
// Noticed by: amo.compare_swap.64.incast, amo.fetch_xor.32.private
#ifdef BENCH_FAULT
unsigned long shmem_ulong_atomic_compare_swap(unsigned long* d, unsigned long c, unsigned long v, int pe) {
  unsigned long* at = shmem_ptr(d, pe);
  *at += 2;
  return c;
}
unsigned shmem_uint_atomic_fetch_xor(unsigned* d, unsigned v, int pe) {
  return __atomic_fetch_or((unsigned*)shmem_ptr(d, pe), v, __ATOMIC_SEQ_CST);
}
#endif
