// SHMEM_BROADCAST on teams: all types, every root, all team shapes. The root is numbered in the
// team, and the team form writes the root's dest as well.
// @since 1.5
// @run
// @run pes=5,8 OSHEN_COLL_DOMAIN=2 OSHEN_COLL_SYNC=hierarchical OSHEN_COLL_BROADCAST=hierarchical-put OSHEN_COLL_REDUCE=hierarchical-put
#include "coll_rows.h"

#define CALL(NAME, TYPE) COLL_CALL(NAME, shmem_##NAME##_broadcast(t, d, s, a->nelems, a->root))
#define ROW(NAME, TYPE) COLL_ROW(NAME, sizeof(TYPE))
STANDARD_RMA_TYPES(CALL)
COLL_CALL(mem, shmem_broadcastmem(t, d, s, a->nelems, a->root))
static const struct coll rows[] = {STANDARD_RMA_TYPES(ROW) COLL_ROW(mem, 1)};

static unsigned char *dest, *source;

static void broadcast_once(shmem_team_t team, const char* shape, const struct coll* row,
                           const struct coll_arguments* a) {
  const size_t bytes = a->nelems * row->element;
  memset(dest, 0xa5, bytes + 16);
  pattern_fill(source, bytes, (unsigned)(shmem_team_my_pe(team) + 1));
  shmem_team_sync(team);  // dest must be ready on all PEs before any PE makes the call
  CHECK(row->call(team, dest, source, a) == 0, "%s broadcast", row->name);
  size_t at = pattern_mismatch(dest, bytes, (unsigned)(a->root + 1));
  CHECK(at == bytes, "%s broadcast of %zu from root %d on %s: byte %zu", row->name, a->nelems, a->root, shape, at);
  CHECK(byte_mismatch(dest + bytes, 16, 0xa5) == 16, "%s broadcast wrote too much", row->name);
  at = pattern_mismatch(source, bytes, (unsigned)(shmem_team_my_pe(team) + 1));
  CHECK(at == bytes, "%s broadcast changed the source", row->name);
  shmem_team_sync(team);
}

static void check_team(shmem_team_t team, const char* shape) {
  for (size_t r = 0; r < LENGTH(rows); r++)
    for (size_t c = 0; c < LENGTH(coll_counts); c++) {
      struct coll_arguments a = {.nelems = coll_counts[c]};
      // Every root for one type, one root in turn for each of the others.
      const int n = shmem_team_n_pes(team), first = r == 0 ? 0 : (int)(r + c) % n;
      for (a.root = first; a.root < (r == 0 ? n : first + 1); a.root++) broadcast_once(team, shape, &rows[r], &a);
    }
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, coll_most * coll_widest + 16);
    source = memory_take(kind, coll_most * coll_widest);
    for_each_team(check_team);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
