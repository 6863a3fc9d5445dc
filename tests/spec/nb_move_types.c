// Non-blocking broadcast, alltoall and fcollect of every type: all types are under way together.
// @extension
// @run pes=1,3
#include <shmemx.h>

#include "pattern.h"
#include "symmetric.h"
#include "types.h"

enum { length = 33, widest = 16 };

typedef int starting(void* d, const void* s, shmemx_request_t* request);

struct row {
  const char* name;
  size_t element;
  starting *broadcast, *alltoall, *fcollect;
};

#define START(KIND, NAME, TYPE, ...)                                                                     \
  static int KIND##_##NAME(void* d, const void* s, shmemx_request_t* r) {                                \
    return shmemx_##NAME##_##KIND##_nb(SHMEM_TEAM_WORLD, (TYPE*)d, (const TYPE*)s, length, __VA_ARGS__); \
  }
#define STARTS(NAME, TYPE)                           \
  START(broadcast, NAME, TYPE, shmem_n_pes() - 1, r) \
  START(alltoall, NAME, TYPE, r)                     \
  START(fcollect, NAME, TYPE, r)
#define ROW(NAME, TYPE) {#NAME, sizeof(TYPE), broadcast_##NAME, alltoall_##NAME, fcollect_##NAME},
STANDARD_RMA_TYPES(STARTS)
static const struct row rows[] = {STANDARD_RMA_TYPES(ROW)};

static unsigned char *dest, *source;
static size_t room;  // of one row

// Checks that `count` elements at element `place` of a row's dest came from element `from_place` of PE `from`.
static void expect(size_t r, const char* what, int from, size_t place, size_t from_place, size_t count) {
  const size_t element = rows[r].element;
  unsigned char* got = dest + r * room + place * element;
  for (size_t i = 0; i < count * element; i++) {
    CHECK(got[i] == pattern_byte((unsigned)from, r * room + from_place * element + i),
          "%s %s: byte %zu of the block of PE %d", rows[r].name, what, i, from);
  }
  memset(got, 0xa5, count * element);
}

static void run(const char* what, size_t kind) {
  shmemx_request_t requests[LENGTH(rows)];
  const int me = shmem_my_pe(), n = shmem_n_pes();
  memset(dest, 0xa5, LENGTH(rows) * room);
  shmem_barrier_all();
  for (size_t r = 0; r < LENGTH(rows); r++) {
    starting* const start[] = {rows[r].broadcast, rows[r].alltoall, rows[r].fcollect};
    CHECK(start[kind](dest + r * room, source + r * room, &requests[r]) == 0, "%s %s", rows[r].name, what);
  }
  shmemx_coll_wait_all(requests, LENGTH(rows));
  for (size_t r = 0; r < LENGTH(rows); r++) {
    if (kind == 0) expect(r, what, n - 1, 0, 0, length);
    for (int pe = 0; kind != 0 && pe < n; pe++)
      expect(r, what, pe, (size_t)pe * length, kind == 1 ? (size_t)me * length : 0, length);
  }
  const size_t at = byte_mismatch(dest, LENGTH(rows) * room, 0xa5);
  CHECK(at == LENGTH(rows) * room, "%s wrote byte %zu of %s", what, at % room, rows[at / room].name);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  room = (size_t)shmem_n_pes() * length * widest + 64;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    dest = memory_take(kind, LENGTH(rows) * room);
    source = memory_take(kind, LENGTH(rows) * room);
    pattern_fill(source, LENGTH(rows) * room, (unsigned)shmem_my_pe());
    run("broadcast_nb", 0);
    run("alltoall_nb", 1);
    run("fcollect_nb", 2);
    memory_give_back(kind, source);
    memory_give_back(kind, dest);
  }
  shmem_finalize();
  return 0;
}
