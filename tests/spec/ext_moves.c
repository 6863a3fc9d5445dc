// shmemx_alltoallv, gather(v), scatter(v): every typed form and the mem form, on every shape of
// team. Lengths differ from PE to PE, some are 0; what is between the blocks stays as it is. The
// root's own block may be in place.
// @extension
// @run
// @run pes=4 OSHEN_CHECK=1
// @run pes=5 OSHEN_CHAOS=3
#include <shmemx.h>

#include "coll_rows.h"

enum { LONGEST = 300, MOST_PES = 16 };

// Lengths and offsets of this PE's blocks in dest and source.
struct lists {
  size_t in[MOST_PES], in_at[MOST_PES], out[MOST_PES], out_at[MOST_PES];
};

typedef int moving(shmem_team_t t, void* d, const void* s, const struct lists* a, int root);

struct row {
  const char* name;
  size_t element;
  moving *alltoallv, *gatherv, *scatterv, *gather, *scatter;
};

// gather and scatter move LONGEST / 10 elements of each PE.
#define CALL(CALL_NAME, ...)                                                                      \
  static int CALL_NAME(shmem_team_t t, void* d, const void* s, const struct lists* a, int root) { \
    const int me = shmem_team_my_pe(t);                                                           \
    (void)a, (void)root, (void)me;                                                                \
    return __VA_ARGS__;                                                                           \
  }
#define CALLS(NAME, TYPE)                                                                        \
  CALL(alltoallv_##NAME, shmemx_##NAME##_alltoallv(t, d, a->in, a->in_at, s, a->out, a->out_at)) \
  CALL(gatherv_##NAME, shmemx_##NAME##_gatherv(t, d, a->in, a->in_at, s, a->out[root], root))    \
  CALL(scatterv_##NAME, shmemx_##NAME##_scatterv(t, d, a->in[root], s, a->out, a->out_at, root)) \
  CALL(gather_##NAME, shmemx_##NAME##_gather(t, d, s, LONGEST / 10, root))                       \
  CALL(scatter_##NAME, shmemx_##NAME##_scatter(t, d, s, LONGEST / 10, root))
#define ROW(NAME, TYPE) \
  {#NAME, sizeof(TYPE), alltoallv_##NAME, gatherv_##NAME, scatterv_##NAME, gather_##NAME, scatter_##NAME},
STANDARD_RMA_TYPES(CALLS)
CALL(alltoallv_mem, shmemx_alltoallvmem(t, d, a->in, a->in_at, s, a->out, a->out_at))
CALL(gatherv_mem, shmemx_gathervmem(t, d, a->in, a->in_at, s, a->out[root], root))
CALL(scatterv_mem, shmemx_scattervmem(t, d, a->in[root], s, a->out, a->out_at, root))
CALL(gather_mem, shmemx_gathermem(t, d, s, LONGEST / 10, root))
CALL(scatter_mem, shmemx_scattermem(t, d, s, LONGEST / 10, root))
static const struct row rows[] = {STANDARD_RMA_TYPES(ROW) ROW(mem, char)};

static unsigned char *dest, *source;
static size_t room;

// The number of elements from member `from` to member `to`.
static size_t length(int from, int to) {
  static const size_t some[] = {0, 3, 1, LONGEST, 0, 40, 7};
  return some[(from * 3 + to * 5) % 7];
}

// Its offsets in the source of `from` and in the dest of `to`: other blocks precede it, with gaps of one element.
static size_t source_place(int from, int to) {
  size_t at = 1;
  for (int pe = 0; pe < to; pe++) at += length(from, pe) + 1;
  return at;
}
static size_t dest_place(int from, int to) {
  size_t at = 1;
  for (int pe = 0; pe < from; pe++) at += length(pe, to) + 1;
  return at;
}

static void prepare(shmem_team_t team) {
  memset(dest, 0xa5, room);
  pattern_fill(source, room, (unsigned)shmem_team_my_pe(team));
  shmem_team_sync(team);
}

// Checks that `count` elements at `place` came from `from_place` of member `from`, then overwrites them.
static void expect(const struct row* r, const char* what, int from, size_t place, size_t from_place, size_t count) {
  for (size_t i = 0; i < count * r->element; i++) {
    const unsigned char want = pattern_byte((unsigned)from, from_place * r->element + i);
    CHECK(dest[place * r->element + i] == want, "%s %s: byte %zu of the block of member %d", r->name, what, i, from);
  }
  memset(dest + place * r->element, 0xa5, count * r->element);
}

static void expect_nothing_else(shmem_team_t team, const struct row* r, const char* what) {
  const size_t at = byte_mismatch(dest, room, 0xa5);
  CHECK(at == room, "%s %s wrote byte %zu", r->name, what, at);
  shmem_team_sync(team);
}

static void check_row(shmem_team_t team, const struct row* r) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team), root = n / 2;
  struct lists a;
  for (int pe = 0; pe < n; pe++) {
    a.in[pe] = length(pe, me), a.in_at[pe] = dest_place(pe, me);
    a.out[pe] = length(me, pe), a.out_at[pe] = source_place(me, pe);
  }
  prepare(team);
  CHECK(r->alltoallv(team, dest, source, &a, root) == 0, "%s alltoallv", r->name);
  for (int pe = 0; pe < n; pe++) expect(r, "alltoallv", pe, a.in_at[pe], source_place(pe, me), a.in[pe]);
  expect_nothing_else(team, r, "alltoallv");

  prepare(team);
  CHECK(r->gatherv(team, dest, source, &a, root) == 0, "%s gatherv", r->name);
  for (int pe = 0; me == root && pe < n; pe++) expect(r, "gatherv", pe, a.in_at[pe], 0, a.in[pe]);
  expect_nothing_else(team, r, "gatherv");

  prepare(team);
  CHECK(r->scatterv(team, dest, source, &a, root) == 0, "%s scatterv", r->name);
  expect(r, "scatterv", root, 0, source_place(root, me), length(root, me));
  expect_nothing_else(team, r, "scatterv");

  prepare(team);
  CHECK(r->gather(team, dest, source, &a, root) == 0, "%s gather", r->name);
  for (int pe = 0; me == root && pe < n; pe++) expect(r, "gather", pe, (size_t)pe * (LONGEST / 10), 0, LONGEST / 10);
  expect_nothing_else(team, r, "gather");

  prepare(team);
  CHECK(r->scatter(team, dest, source, &a, root) == 0, "%s scatter", r->name);
  expect(r, "scatter", root, 0, (size_t)me * (LONGEST / 10), LONGEST / 10);
  expect_nothing_else(team, r, "scatter");
}

// The root's own block is in place: in dest for a gather, in source for a scatter. Only the root passes that address.
static void check_in_place(shmem_team_t team, const struct row* r) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team), root = n / 2;
  const size_t size = r->element, equal = LONGEST / 10;
  struct lists a;
  for (int pe = 0; pe < n; pe++) {
    a.in[pe] = length(pe, me), a.in_at[pe] = dest_place(pe, me);
    a.out[pe] = length(me, pe), a.out_at[pe] = source_place(me, pe);
  }
  const size_t in_gatherv = dest_place(me, me), in_gather = (size_t)me * equal;

  prepare(team);
  if (me == root) memcpy(dest + in_gatherv * size, source, length(me, me) * size);
  CHECK(r->gatherv(team, dest, me == root ? dest + in_gatherv * size : source, &a, root) == 0, "%s", r->name);
  for (int pe = 0; me == root && pe < n; pe++) expect(r, "gatherv in place", pe, a.in_at[pe], 0, a.in[pe]);
  expect_nothing_else(team, r, "gatherv in place");

  prepare(team);
  if (me == root) memcpy(dest + in_gather * size, source, equal * size);
  CHECK(r->gather(team, dest, me == root ? dest + in_gather * size : source, &a, root) == 0, "%s", r->name);
  for (int pe = 0; me == root && pe < n; pe++) expect(r, "gather in place", pe, (size_t)pe * equal, 0, equal);
  expect_nothing_else(team, r, "gather in place");

  for (int with_lengths = 0; with_lengths < 2; with_lengths++) {
    const size_t from = with_lengths ? source_place(root, me) : (size_t)me * equal;
    const size_t count = with_lengths ? length(root, me) : equal;
    prepare(team);
    unsigned char* const to = me == root ? source + from * size : dest;
    CHECK((with_lengths ? r->scatterv : r->scatter)(team, to, source, &a, root) == 0, "%s", r->name);
    if (me != root) expect(r, "scatter in place", root, 0, from, count);
    expect_nothing_else(team, r, "scatter in place");
    const size_t at = pattern_mismatch(source, room, (unsigned)me);
    CHECK(at == room, "%s: a scatter in place changed byte %zu of source", r->name, at);
    shmem_team_sync(team);
  }
}

static void check_team(shmem_team_t team, const char* shape) {
  (void)shape;
  for (size_t r = 0; r < LENGTH(rows); r++) check_row(team, &rows[r]), check_in_place(team, &rows[r]);
}

int main(void) {
  shmem_init();
  room = (size_t)(shmem_n_pes() * 150 + LONGEST) * coll_widest;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, room);
    source = memory_take(kind, room);
    for_each_team(check_team);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
