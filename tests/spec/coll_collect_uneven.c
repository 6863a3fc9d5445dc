// SHMEM_COLLECT: members contribute different numbers of elements; some contribute none, some with a null source.
// @since 1.5
#include "coll_rows.h"

#define CALL(NAME, TYPE) COLL_CALL(NAME, shmem_##NAME##_collect(t, d, s, a->nelems))
#define ROW(NAME, TYPE) COLL_ROW(NAME, sizeof(TYPE))
STANDARD_RMA_TYPES(CALL)
COLL_CALL(mem, shmem_collectmem(t, d, s, a->nelems))
static const struct coll rows[] = {STANDARD_RMA_TYPES(ROW) COLL_ROW(mem, 1)};

static unsigned char *dest, *source;

// Distributions of sizes over members: all equal, growing, only one member, every other member, no member.
static size_t share(int distribution, int member) {
  switch (distribution) {
    case 0: return 5;
    case 1: return (size_t)member * 3;
    case 2: return member == 1 ? 1000 : 0;
    case 3: return member % 2 ? 0 : 257;
    case 4: return (size_t)(member * 37 % 11) * 100;
    default: return 0;
  }
}
enum { distributions = 6 };

static void check_row(shmem_team_t team, const char* shape, const struct coll* row, int distribution) {
  const int me = shmem_team_my_pe(team), n = shmem_team_n_pes(team);
  const struct coll_arguments a = {.nelems = share(distribution, me)};
  size_t offset = 0;
  memset(dest, 0xa5, (size_t)n * 1100 * row->element);
  pattern_fill(source, a.nelems * row->element, (unsigned)me);
  shmem_team_sync(team);
  CHECK(row->call(team, dest, a.nelems ? source : NULL, &a) == 0, "%s collect", row->name);
  for (int i = 0; i < n; i++) {
    const size_t bytes = share(distribution, i) * row->element;
    const size_t at = pattern_mismatch(dest + offset, bytes, (unsigned)i);
    CHECK(at == bytes, "%s collect %d on %s: byte %zu of member %d", row->name, distribution, shape, at, i);
    offset += bytes;
  }
  CHECK(byte_mismatch(dest + offset, 16, 0xa5) == 16, "%s collect wrote too much", row->name);
  shmem_team_sync(team);
}

static void check_team(shmem_team_t team, const char* shape) {
  for (size_t r = 0; r < LENGTH(rows); r++)
    for (int d = 0; d < distributions; d++) check_row(team, shape, &rows[r], d);
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, (size_t)shmem_n_pes() * 1100 * coll_widest + 16);
    source = memory_take(kind, 1100 * coll_widest);
    for_each_team(check_team);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
