// SHMEM_ALLTOALLS: as alltoall, with strides in elements. Block l starts at element l * nelems * stride, and the gaps
// between elements stay unchanged.
// @since 1.5
#include "coll_rows.h"

#define CALL(NAME, TYPE) COLL_CALL(NAME, shmem_##NAME##_alltoalls(t, d, s, a->dst, a->sst, a->nelems))
#define ROW(NAME, TYPE) COLL_ROW(NAME, sizeof(TYPE))
STANDARD_RMA_TYPES(CALL)
COLL_CALL(mem, shmem_alltoallsmem(t, d, s, a->dst, a->sst, a->nelems))
static const struct coll rows[] = {STANDARD_RMA_TYPES(ROW) COLL_ROW(mem, 1)};

static const struct coll_arguments shapes[] = {{.nelems = 0, .dst = 1, .sst = 1},  {.nelems = 1, .dst = 1, .sst = 1},
                                               {.nelems = 17, .dst = 1, .sst = 2}, {.nelems = 64, .dst = 3, .sst = 1},
                                               {.nelems = 9, .dst = 5, .sst = 4},  {.nelems = 1, .dst = 7, .sst = 7}};
enum { room = 200 };  // elements per member: nelems * stride at most 192

static unsigned char *dest, *source;

// The offset of element e of block `block`, in bytes.
static size_t place(const struct coll* row, const struct coll_arguments* a, int block, size_t e, ptrdiff_t stride) {
  return ((size_t)block * a->nelems + e) * (size_t)stride * row->element;
}

static void check_row(shmem_team_t team, const char* shape, const struct coll* row, const struct coll_arguments* a) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  const size_t bytes = (size_t)n * room * row->element;
  unsigned char* expected = malloc(bytes);
  unsigned char* theirs = malloc(bytes);
  memset(dest, 0xa5, bytes);
  memset(expected, 0xa5, bytes);
  pattern_fill(source, bytes, (unsigned)me);
  for (int i = 0; i < n; i++) {
    pattern_fill(theirs, bytes, (unsigned)i);
    for (size_t e = 0; e < a->nelems; e++)
      memcpy(expected + place(row, a, i, e, a->dst), theirs + place(row, a, me, e, a->sst), row->element);
  }
  shmem_team_sync(team);
  CHECK(row->call(team, dest, source, a) == 0, "%s alltoalls", row->name);
  for (size_t i = 0; i < bytes; i++)
    CHECK(dest[i] == expected[i], "%s alltoalls(dst %td, sst %td, %zu) on %s: byte %zu", row->name, a->dst, a->sst,
          a->nelems, shape, i);
  shmem_team_sync(team);
  free(theirs);
  free(expected);
}

static void check_team(shmem_team_t team, const char* shape) {
  for (size_t r = 0; r < LENGTH(rows); r++)
    for (size_t i = 0; i < LENGTH(shapes); i++) check_row(team, shape, &rows[r], &shapes[i]);
}

int main(void) {
  shmem_init();
  const size_t bytes = (size_t)shmem_n_pes() * room * coll_widest;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, bytes);
    source = memory_take(kind, bytes);
    for_each_team(check_team);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
