// SHMEM_{AND,OR,XOR,MAX,MIN,SUM,PROD}_REDUCE: every op x type x team shape, out of place and in
// place.
//
// The types decide: an unsigned maximum is not the signed one, a complex sum has two parts, and a
// long double is not a double.
// @since 1.5
#include "reduce_rows.h"

#define CALL(NAME, OP)                                                          \
  static int OP##_##NAME(shmem_team_t team, void* d, const void* s, size_t n) { \
    return shmem_##NAME##_##OP##_reduce(team, d, s, n);                         \
  }
REDUCTION_CALLS

#define ROW(NAME, TYPE, ENUM, OP) {#NAME, ENUM, CLASS_OF(TYPE), sizeof(TYPE), OP##_##NAME, store_##NAME, load_##NAME},
static const struct reduction rows[] = {REDUCTION_ROWS};

static const size_t counts[] = {0, 1, 7, 64, 1025};
enum { most = 1025, widest = 16 };

static unsigned char *dest, *source;

static void check_result(const struct reduction* r, shmem_team_t team, const char* shape, const unsigned char* result,
                         size_t n) {
  for (size_t i = 0; i < n; i++) {
    value expected = contribution(r, 0, i);
    for (int pe = 1; pe < shmem_team_n_pes(team); pe++) expected = combine(r, expected, contribution(r, pe, i));
    const value got = r->load(result, i);
    CHECK(same_value(got, expected), "%s %s_reduce on %s: element %zu of %zu is %Lg%+Lgi, not %Lg%+Lgi", r->type,
          reduce_op_names[r->op], shape, i, n, creall(got), cimagl(got), creall(expected), cimagl(expected));
  }
}

static void reduce_once(const struct reduction* r, shmem_team_t team, const char* shape, size_t n, int in_place) {
  unsigned char* result = in_place ? source : dest;
  memset(dest, 0xa5, (n + 1) * r->element);
  memset(source, 0xa5, (n + 1) * r->element);
  for (size_t i = 0; i < n; i++) r->store(source, i, contribution(r, shmem_team_my_pe(team), i));
  shmem_team_sync(team);
  CHECK(r->call(team, result, source, n) == 0, "%s %s_reduce", r->type, reduce_op_names[r->op]);
  check_result(r, team, shape, result, n);
  for (size_t b = n * r->element; b < (n + 1) * r->element; b++)
    CHECK(result[b] == 0xa5, "%s %s_reduce wrote too much", r->type, reduce_op_names[r->op]);
  if (!in_place)
    for (size_t i = 0; i < n; i++)
      CHECK(same_value(r->load(source, i), contribution(r, shmem_team_my_pe(team), i)),
            "%s %s_reduce changed its source", r->type, reduce_op_names[r->op]);
  shmem_team_sync(team);
}

static void check_team(shmem_team_t team, const char* shape) {
  for (size_t r = 0; r < LENGTH(rows); r++)
    for (size_t c = 0; c < LENGTH(counts); c++) {
      if (counts[c] == most && team != SHMEM_TEAM_WORLD) continue;  // the oracle is slow; once is enough
      reduce_once(&rows[r], team, shape, counts[c], 0);
      reduce_once(&rows[r], team, shape, counts[c], 1);
    }
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, (most + 1) * widest);
    source = memory_take(kind, (most + 1) * widest);
    for_each_team(check_team);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
