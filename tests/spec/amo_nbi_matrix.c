// Every nonblocking fetching atomic x every type: after quiet the old value is in `fetch`, and the
// object has the new one. Many in flight at once, then one quiet. A session changes nothing.
// @since 1.5
#include "amo_rows.h"

#define FORM(NAME, OP, ...)                                                                                    \
  static void OP##_##NAME(const shmem_ctx_t* ctx, void* fetch, void* dest, uint64_t condition, uint64_t value, \
                          int pe) {                                                                            \
    (void)condition, (void)value;                                                                              \
    if (ctx)                                                                                                   \
      shmem_ctx_##NAME##_atomic_##OP##_nbi(*ctx, fetch, __VA_ARGS__);                                          \
    else                                                                                                       \
      shmem_##NAME##_atomic_##OP##_nbi(fetch, __VA_ARGS__);                                                    \
  }
#define EXTENDED(NAME, TYPE)  \
  FORM(NAME, fetch, dest, pe) \
  FORM(NAME, swap, dest, (TYPE)value, pe)
#define STANDARD(NAME, TYPE)                                       \
  FORM(NAME, compare_swap, dest, (TYPE)condition, (TYPE)value, pe) \
  FORM(NAME, fetch_inc, dest, pe)                                  \
  FORM(NAME, fetch_add, dest, (TYPE)value, pe)
#define BITWISE(NAME, TYPE)                    \
  FORM(NAME, fetch_and, dest, (TYPE)value, pe) \
  FORM(NAME, fetch_or, dest, (TYPE)value, pe)  \
  FORM(NAME, fetch_xor, dest, (TYPE)value, pe)
EXTENDED_AMO_TYPES(EXTENDED)
STANDARD_AMO_TYPES(STANDARD)
BITWISE_AMO_TYPES(BITWISE)

struct nbi_row {
  const char* type;
  enum amo_op op;
  size_t element;
  amo_nbi_call* call;
  uint64_t (*read)(const void*);
  void (*write)(void*, uint64_t);
};
#define ROW(NAME, TYPE, ENUM, OP) {#NAME, ENUM, sizeof(TYPE), OP##_##NAME, read_##NAME, write_##NAME},
#define EXTENDED_ROWS(NAME, TYPE) ROW(NAME, TYPE, AMO_FETCH, fetch) ROW(NAME, TYPE, AMO_SWAP, swap)
#define STANDARD_ROWS(NAME, TYPE)           \
  ROW(NAME, TYPE, AMO_CSWAP, compare_swap)  \
  ROW(NAME, TYPE, AMO_FETCH_INC, fetch_inc) \
  ROW(NAME, TYPE, AMO_FETCH_ADD, fetch_add)
#define BITWISE_ROWS(NAME, TYPE)            \
  ROW(NAME, TYPE, AMO_FETCH_AND, fetch_and) \
  ROW(NAME, TYPE, AMO_FETCH_OR, fetch_or)   \
  ROW(NAME, TYPE, AMO_FETCH_XOR, fetch_xor)
static const struct nbi_row rows[] = {EXTENDED_AMO_TYPES(EXTENDED_ROWS) STANDARD_AMO_TYPES(STANDARD_ROWS)
                                          BITWISE_AMO_TYPES(BITWISE_ROWS)};

enum { in_flight = 16 };

static uint64_t old_value(int pe, int i) { return (uint64_t)(pe * 1000 + i * 7 + 1); }

// Cell i of the right neighbour holds old_value(right, i); half of the compare-and-swaps match.
static void check_row(const struct nbi_row* row, const shmem_ctx_t* ctx, unsigned char* cells) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  const uint64_t mask = amo_mask(row->element), value = 0x35;
  _Alignas(8) unsigned char fetched[in_flight * 8];

  for (int i = 0; i < in_flight; i++) row->write(cells + 8 * i, old_value(me, i));
  shmem_barrier_all();
  for (int i = 0; i < in_flight; i++)
    row->call(ctx, fetched + 8 * i, cells + 8 * i, old_value(right, i) + (uint64_t)(i % 2), value, right);
  if (ctx)
    shmem_ctx_quiet(*ctx);
  else
    shmem_quiet();
  for (int i = 0; i < in_flight; i++)
    CHECK((row->read(fetched + 8 * i) & mask) == old_value(right, i), "%s %s_nbi %d fetched %llu", row->type,
          amo_op_names[row->op], i, (unsigned long long)row->read(fetched + 8 * i));
  shmem_barrier_all();
  for (int i = 0; i < in_flight; i++) {
    const uint64_t condition = old_value(me, i) + (uint64_t)(i % 2);
    const uint64_t left = amo_result(row->op, old_value(me, i), condition, value) & mask;
    CHECK((row->read(cells + 8 * i) & mask) == left, "%s %s_nbi %d left %llu for %llu", row->type,
          amo_op_names[row->op], i, (unsigned long long)row->read(cells + 8 * i), (unsigned long long)left);
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_ctx_t ctx;
  shmem_init();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* cells = memory_take(kind, in_flight * 8);
    for (size_t i = 0; i < LENGTH(rows); i++) {
      check_row(&rows[i], NULL, cells);
      check_row(&rows[i], &ctx, cells);
    }
#if SPEC_AT_LEAST(1, 6)
    shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
    for (size_t i = 0; i < LENGTH(rows); i++) check_row(&rows[i], &ctx, cells);
    shmem_ctx_session_stop(ctx);
#endif
    memory_give_back(kind, cells);
  }
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
