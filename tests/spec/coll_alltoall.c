// SHMEM_ALLTOALL: block j of member i's source becomes block i of member j's dest.
// @since 1.5
#include "coll_rows.h"

#define CALL(NAME, TYPE) COLL_CALL(NAME, shmem_##NAME##_alltoall(t, d, s, a->nelems))
#define ROW(NAME, TYPE) COLL_ROW(NAME, sizeof(TYPE))
STANDARD_RMA_TYPES(CALL)
COLL_CALL(mem, shmem_alltoallmem(t, d, s, a->nelems))
static const struct coll rows[] = {STANDARD_RMA_TYPES(ROW) COLL_ROW(mem, 1)};

static unsigned char *dest, *source;

static void check_row(shmem_team_t team, const char* shape, const struct coll* row, size_t nelems) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  const size_t bytes = nelems * row->element;
  const struct coll_arguments a = {.nelems = nelems};
  memset(dest, 0xa5, (size_t)n * bytes + 16);
  for (int j = 0; j < n; j++) pattern_fill(source + (size_t)j * bytes, bytes, (unsigned)(me * 100 + j));
  shmem_team_sync(team);
  CHECK(row->call(team, dest, source, &a) == 0, "%s alltoall", row->name);
  for (int i = 0; i < n; i++) {
    const size_t at = pattern_mismatch(dest + (size_t)i * bytes, bytes, (unsigned)(i * 100 + me));
    CHECK(at == bytes, "%s alltoall of %zu on %s: byte %zu of member %d", row->name, nelems, shape, at, i);
  }
  CHECK(byte_mismatch(dest + (size_t)n * bytes, 16, 0xa5) == 16, "%s alltoall wrote too much", row->name);
  shmem_team_sync(team);
}

static void check_team(shmem_team_t team, const char* shape) {
  for (size_t r = 0; r < LENGTH(rows); r++)
    for (size_t c = 0; c < LENGTH(coll_counts); c++) check_row(team, shape, &rows[r], coll_counts[c]);
}

int main(void) {
  shmem_init();
  const size_t bytes = (size_t)shmem_n_pes() * coll_most * coll_widest;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, bytes + 16);
    source = memory_take(kind, bytes);
    for_each_team(check_team);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
