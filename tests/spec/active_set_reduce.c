// The 44 shmem_TYPE_OP_to_all: every op x type on active sets, out of place and in place.
#include "active_sets.h"
#include "types.h"

enum { most = 65, work = most / 2 + 1 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? most / 2 + 1 : SHMEM_REDUCE_MIN_WRKDATA_SIZE };
static long psync[SHMEM_REDUCE_SYNC_SIZE], done[SHMEM_BARRIER_SYNC_SIZE];
static long double dest[most * 2], source[most * 2],
    scratch[work * 2];  // room for any of the types

struct row {
  const char* name;
  int is_complex;
  void (*call)(void* dest, const void* source, int n, const struct active_set* set);
  void (*store)(void* array, int i, double _Complex v);
  double _Complex (*load)(const void* array, int i);
  double _Complex (*combine)(double _Complex a, double _Complex b);
};

#define ACCESS(NAME, TYPE)                                                                 \
  static void store_##NAME(void* a, int i, double _Complex v) { ((TYPE*)a)[i] = (TYPE)v; } \
  static double _Complex load_##NAME(const void* a, int i) { return (double _Complex)((const TYPE*)a)[i]; }
ACTIVE_SET_ARITHMETIC_TYPES(ACCESS)

#define CALL(NAME, OP)                                                                   \
  static void OP##_##NAME(void* d, const void* s, int n, const struct active_set* set) { \
    shmem_##NAME##_##OP##_to_all(d, s, n, SET_ARGUMENTS(set), (void*)scratch, psync);    \
  }
#define BITWISE(NAME, TYPE) CALL(NAME, and) CALL(NAME, or) CALL(NAME, xor)
#define ORDERED(NAME, TYPE) CALL(NAME, max) CALL(NAME, min)
#define ARITHMETIC(NAME, TYPE) CALL(NAME, sum) CALL(NAME, prod)
ACTIVE_SET_BITWISE_TYPES(BITWISE)
ACTIVE_SET_ORDERED_TYPES(ORDERED)
ACTIVE_SET_ARITHMETIC_TYPES(ARITHMETIC)

static double _Complex of_and(double _Complex a, double _Complex b) {
  return (double)((long)creal(a) & (long)creal(b));
}
static double _Complex of_or(double _Complex a, double _Complex b) { return (double)((long)creal(a) | (long)creal(b)); }
static double _Complex of_xor(double _Complex a, double _Complex b) {
  return (double)((long)creal(a) ^ (long)creal(b));
}
static double _Complex of_max(double _Complex a, double _Complex b) { return creal(a) > creal(b) ? a : b; }
static double _Complex of_min(double _Complex a, double _Complex b) { return creal(a) < creal(b) ? a : b; }
static double _Complex of_sum(double _Complex a, double _Complex b) { return a + b; }
static double _Complex of_prod(double _Complex a, double _Complex b) { return a * b; }

#define ROW(NAME, TYPE, OP)                                                             \
  {#NAME "_" #OP, _Generic((TYPE)0, double _Complex: 1, float _Complex: 1, default: 0), \
   OP##_##NAME,   store_##NAME,                                                         \
   load_##NAME,   of_##OP},
#define BITWISE_ROWS(NAME, TYPE) ROW(NAME, TYPE, and) ROW(NAME, TYPE, or) ROW(NAME, TYPE, xor)
#define ORDERED_ROWS(NAME, TYPE) ROW(NAME, TYPE, max) ROW(NAME, TYPE, min)
#define ARITHMETIC_ROWS(NAME, TYPE) ROW(NAME, TYPE, sum) ROW(NAME, TYPE, prod)
static const struct row rows[] = {ACTIVE_SET_BITWISE_TYPES(BITWISE_ROWS) ACTIVE_SET_ORDERED_TYPES(ORDERED_ROWS)
                                      ACTIVE_SET_ARITHMETIC_TYPES(ARITHMETIC_ROWS)};

// Small enough that the product of 8 PEs fits a short.
static double _Complex contribution(const struct row* row, int place, int i) {
  const int small = (place * 5 + i * 3) % 4 - 1;
  return row->is_complex ? (double)small + (double)(place % 2) * _Complex_I : (double)small;
}

static void check_once(const struct row* row, const struct active_set* set, int place, int n, int in_place) {
  void* result = in_place ? source : dest;
  memset(dest, 0xa5, sizeof dest);
  for (int i = 0; i < n; i++) row->store(source, i, contribution(row, place, i));
  shmem_barrier(SET_ARGUMENTS(set), done);
  row->call(result, source, n, set);
  for (int i = 0; i < n; i++) {
    double _Complex expected = contribution(row, 0, i);
    for (int m = 1; m < set->size; m++) expected = row->combine(expected, contribution(row, m, i));
    const double _Complex got = row->load(result, i);
    CHECK(creal(got) == creal(expected) && cimag(got) == cimag(expected), "%s_to_all: element %d is %g%+gi, not %g%+gi",
          row->name, i, creal(got), cimag(got), creal(expected), cimag(expected));
  }
  shmem_barrier(SET_ARGUMENTS(set), done);
  psync_check(psync, SHMEM_REDUCE_SYNC_SIZE, row->name);
}

static void check_set(const struct active_set* set, int place) {
  static const int counts[] = {0, 1, 2, most};
  for (size_t r = 0; r < LENGTH(rows); r++)
    for (size_t c = 0; c < LENGTH(counts); c++)
      for (int in_place = 0; in_place < 2; in_place++) check_once(&rows[r], set, place, counts[c], in_place);
}

int main(void) {
  shmem_init();
  psync_fill(psync, SHMEM_REDUCE_SYNC_SIZE);
  psync_fill(done, SHMEM_BARRIER_SYNC_SIZE);
  shmem_barrier_all();
  for_each_active_set(check_set);
  shmem_finalize();
  return 0;
}
