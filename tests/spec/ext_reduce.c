// shmemx_OP_reduce_to_root, reduce_scatter, reduce_scatterv: every op x type x team shape, out of
// place and in place.
// @extension
// @run
// @run pes=5 OSHEN_CHAOS=3
#include <shmemx.h>

#include "pattern.h"
#include "reduce_rows.h"

enum { SHARE = 5, MOST_PES = 16, MOST = SHARE * MOST_PES, WIDEST = 16 };

struct row {
  struct reduction is;
  int (*to_root)(shmem_team_t team, void* d, const void* s, size_t n, int root);
  int (*scatter)(shmem_team_t team, void* d, const void* s, size_t n);
  int (*scatterv)(shmem_team_t team, void* d, const void* s, const size_t* counts);
};

#define CALL(NAME, OP)                                                                         \
  static int to_root_##OP##_##NAME(shmem_team_t t, void* d, const void* s, size_t n, int r) {  \
    return shmemx_##NAME##_##OP##_reduce_to_root(t, d, s, n, r);                               \
  }                                                                                            \
  static int scatter_##OP##_##NAME(shmem_team_t t, void* d, const void* s, size_t n) {         \
    return shmemx_##NAME##_##OP##_reduce_scatter(t, d, s, n);                                  \
  }                                                                                            \
  static int scatterv_##OP##_##NAME(shmem_team_t t, void* d, const void* s, const size_t* c) { \
    return shmemx_##NAME##_##OP##_reduce_scatterv(t, d, s, c);                                 \
  }
REDUCTION_CALLS

#define ROW(NAME, TYPE, ENUM, OP)                                                                 \
  {{#NAME, ENUM, CLASS_OF(TYPE), sizeof(TYPE), scatter_##OP##_##NAME, store_##NAME, load_##NAME}, \
   to_root_##OP##_##NAME,                                                                         \
   scatter_##OP##_##NAME,                                                                         \
   scatterv_##OP##_##NAME},
static const struct row rows[] = {REDUCTION_ROWS};

static unsigned char *dest, *source;

static void fill(shmem_team_t team, const struct reduction* r) {
  memset(dest, 0xa5, MOST * r->element);
  for (size_t i = 0; i < MOST; i++) r->store(source, i, contribution(r, shmem_team_my_pe(team), i));
  shmem_team_sync(team);
}

// `n` elements of `result` are elements first, first + 1, ... of the reduced vector.
static void check_result(shmem_team_t team, const struct reduction* r, const char* what, const unsigned char* result,
                         size_t first, size_t n) {
  for (size_t i = 0; i < n; i++) {
    value expected = contribution(r, 0, first + i);
    for (int pe = 1; pe < shmem_team_n_pes(team); pe++) expected = combine(r, expected, contribution(r, pe, first + i));
    const value got = r->load(result, i);
    CHECK(same_value(got, expected), "%s %s_%s: element %zu is %Lg%+Lgi, not %Lg%+Lgi", r->type, reduce_op_names[r->op],
          what, first + i, creall(got), cimagl(got), creall(expected), cimagl(expected));
  }
  if (result == dest) {
    const size_t rest = (MOST - n) * r->element;
    CHECK(byte_mismatch(dest + n * r->element, rest, 0xa5) == rest, "%s %s_%s wrote too much", r->type,
          reduce_op_names[r->op], what);
  }
  shmem_team_sync(team);
}

static void check_to_root(shmem_team_t team, const struct row* row, int in_place) {
  const struct reduction* r = &row->is;
  const int root = shmem_team_n_pes(team) - 1;
  unsigned char* result = in_place ? source : dest;
  fill(team, r);
  CHECK(row->to_root(team, result, source, 7, root) == 0, "%s to_root", r->type);
  if (shmem_team_my_pe(team) == root)
    check_result(team, r, "reduce_to_root", result, 0, 7);
  else
    check_result(team, r, "reduce_to_root", dest, 0, 0);
}

static void check_scatter(shmem_team_t team, const struct row* row, int in_place) {
  const struct reduction* r = &row->is;
  const size_t first = (size_t)shmem_team_my_pe(team) * SHARE;
  unsigned char* result = in_place ? source + first * r->element : dest;
  fill(team, r);
  CHECK(row->scatter(team, result, source, SHARE) == 0, "%s reduce_scatter", r->type);
  check_result(team, r, "reduce_scatter", result, first, SHARE);
}

static void check_scatterv(shmem_team_t team, const struct row* row, int in_place) {
  const struct reduction* r = &row->is;
  size_t counts[MOST_PES], first = 0;
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  for (int pe = 0; pe < n; pe++) counts[pe] = (size_t)(pe * 3 + 1) % 5;
  for (int pe = 0; pe < me; pe++) first += counts[pe];
  unsigned char* result = in_place ? source + first * r->element : dest;
  fill(team, r);
  CHECK(row->scatterv(team, result, source, counts) == 0, "%s reduce_scatterv", r->type);
  check_result(team, r, "reduce_scatterv", result, first, counts[me]);
}

static void check_team(shmem_team_t team, const char* shape) {
  (void)shape;
  for (size_t i = 0; i < LENGTH(rows); i++) {
    check_to_root(team, &rows[i], i % 2 == 0);
    check_scatter(team, &rows[i], i % 3 == 0);
    check_scatterv(team, &rows[i], i % 3 == 1);
  }
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, MOST * WIDEST);
    source = memory_take(kind, MOST * WIDEST);
    for_each_team(check_team);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
