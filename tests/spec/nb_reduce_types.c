// Non-blocking reductions of every type and operation: all of them are under way together.
// @extension
// @run pes=1,3
#include <shmemx.h>

#include "reduce_rows.h"

enum { length = 9, widest = 16 };

struct row {
  struct reduction is;
  int (*start)(void* d, const void* s, shmemx_request_t* request);
};

#define CALL(NAME, OP)                                                                        \
  static int start_##OP##_##NAME(void* d, const void* s, shmemx_request_t* request) {         \
    return shmemx_##NAME##_##OP##_reduce_nb(SHMEM_TEAM_WORLD, d, s, (size_t)length, request); \
  }
REDUCTION_CALLS

#define ROW(NAME, TYPE, ENUM, OP) \
  {{#NAME, ENUM, CLASS_OF(TYPE), sizeof(TYPE), NULL, store_##NAME, load_##NAME}, start_##OP##_##NAME},
static const struct row rows[] = {REDUCTION_ROWS};

enum { room = length * widest };
static unsigned char *dest, *source;

static void check_result(size_t at) {
  const struct reduction* r = &rows[at].is;
  for (size_t i = 0; i < length; i++) {
    value expected = contribution(r, 0, i);
    for (int pe = 1; pe < shmem_n_pes(); pe++) expected = combine(r, expected, contribution(r, pe, i));
    const value got = r->load(dest + at * room, i);
    CHECK(same_value(got, expected), "%s %s_reduce_nb: element %zu is %Lg%+Lgi, not %Lg%+Lgi", r->type,
          reduce_op_names[r->op], i, creall(got), cimagl(got), creall(expected), cimagl(expected));
  }
}

int main(void) {
  shmem_init();
  static shmemx_request_t requests[LENGTH(rows)];
  dest = memory_take(MEMORY_HEAP, LENGTH(rows) * room);
  source = memory_take(MEMORY_HEAP, LENGTH(rows) * room);
  for (size_t r = 0; r < LENGTH(rows); r++)
    for (size_t i = 0; i < length; i++)
      rows[r].is.store(source + r * room, i, contribution(&rows[r].is, shmem_my_pe(), i));
  shmem_barrier_all();
  for (size_t r = 0; r < LENGTH(rows); r++)
    CHECK(rows[r].start(dest + r * room, source + r * room, &requests[r]) == 0, "%s %s_reduce_nb", rows[r].is.type,
          reduce_op_names[rows[r].is.op]);
  shmemx_coll_wait_all(requests, LENGTH(rows));
  for (size_t r = 0; r < LENGTH(rows); r++) check_result(r);
  shmem_finalize();
  return 0;
}
