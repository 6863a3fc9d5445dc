// Every blocking atomic x every type x {self, neighbour} x {default, own context} x {heap,
// statics}, against arithmetic modulo 2^bits: the old value returned, the new value left,
// wrap-around included.
#include "amo_rows.h"

#define UNUSED_OPERANDS (void)condition, (void)value

#define FORM(NAME, OP, BODY)                                                                                    \
  static uint64_t OP##_##NAME(const shmem_ctx_t* ctx, void* dest, uint64_t condition, uint64_t value, int pe) { \
    UNUSED_OPERANDS;                                                                                            \
    BODY                                                                                                        \
  }
#define FETCHING(NAME, OP, ...)                                                  \
  FORM(NAME, OP,                                                                 \
       return (uint64_t)(ctx ? shmem_ctx_##NAME##_atomic_##OP(*ctx, __VA_ARGS__) \
                             : shmem_##NAME##_atomic_##OP(__VA_ARGS__));)
#define SILENT(NAME, OP, ...)                                                \
  FORM(NAME, OP, if (ctx) shmem_ctx_##NAME##_atomic_##OP(*ctx, __VA_ARGS__); \
       else shmem_##NAME##_atomic_##OP(__VA_ARGS__); return 0;)

#define EXTENDED(NAME, TYPE)               \
  FETCHING(NAME, fetch, dest, pe)          \
  SILENT(NAME, set, dest, (TYPE)value, pe) \
  FETCHING(NAME, swap, dest, (TYPE)value, pe)
#define STANDARD(NAME, TYPE)                                           \
  FETCHING(NAME, compare_swap, dest, (TYPE)condition, (TYPE)value, pe) \
  SILENT(NAME, inc, dest, pe)                                          \
  FETCHING(NAME, fetch_inc, dest, pe)                                  \
  SILENT(NAME, add, dest, (TYPE)value, pe)                             \
  FETCHING(NAME, fetch_add, dest, (TYPE)value, pe)
#define BITWISE(NAME, TYPE)                        \
  SILENT(NAME, and, dest, (TYPE)value, pe)         \
  FETCHING(NAME, fetch_and, dest, (TYPE)value, pe) \
  SILENT(NAME, or, dest, (TYPE)value, pe)          \
  FETCHING(NAME, fetch_or, dest, (TYPE)value, pe)  \
  SILENT(NAME, xor, dest, (TYPE)value, pe)         \
  FETCHING(NAME, fetch_xor, dest, (TYPE)value, pe)
EXTENDED_AMO_TYPES(EXTENDED)
STANDARD_AMO_TYPES(STANDARD)
BITWISE_AMO_TYPES(BITWISE)

#define ROW(NAME, TYPE, ENUM, OP) {#NAME, ENUM, sizeof(TYPE), OP##_##NAME, read_##NAME, write_##NAME},
#define EXTENDED_ROWS(NAME, TYPE) \
  ROW(NAME, TYPE, AMO_FETCH, fetch) ROW(NAME, TYPE, AMO_SET, set) ROW(NAME, TYPE, AMO_SWAP, swap)
#define STANDARD_ROWS(NAME, TYPE)           \
  ROW(NAME, TYPE, AMO_CSWAP, compare_swap)  \
  ROW(NAME, TYPE, AMO_INC, inc)             \
  ROW(NAME, TYPE, AMO_FETCH_INC, fetch_inc) \
  ROW(NAME, TYPE, AMO_ADD, add) ROW(NAME, TYPE, AMO_FETCH_ADD, fetch_add)
#define BITWISE_ROWS(NAME, TYPE)            \
  ROW(NAME, TYPE, AMO_AND, and)             \
  ROW(NAME, TYPE, AMO_FETCH_AND, fetch_and) \
  ROW(NAME, TYPE, AMO_OR, or)               \
  ROW(NAME, TYPE, AMO_FETCH_OR, fetch_or)   \
  ROW(NAME, TYPE, AMO_XOR, xor) ROW(NAME, TYPE, AMO_FETCH_XOR, fetch_xor)
static const struct amo rows[] = {EXTENDED_AMO_TYPES(EXTENDED_ROWS) STANDARD_AMO_TYPES(STANDARD_ROWS)
                                      BITWISE_AMO_TYPES(BITWISE_ROWS)};

struct operands {
  uint64_t old, condition, value;
};
// The ends of the ranges of 32 and 64 bits, and a condition that holds and one that does not.
static const struct operands cases[] = {
    {0, 0, 1},
    {5, 5, 9},
    {5, 6, 9},
    {UINT64_MAX, UINT64_MAX, 1},
    {INT32_MAX, INT32_MAX, 1},
    {(uint64_t)INT64_MAX, 0, (uint64_t)INT64_MAX},
    {0x5555555555555555u, 3, 0x3333333333333333u},
    {0, 1, UINT64_MAX},
    {0xffffffffu, 0xffffffffu, 0x80000000u},
    {0x8000000000000000u, 0x8000000000000000u, 0x8000000000000000u},
};
// For float and double: values that both represent exactly.
static const struct operands floating_cases[] = {{0, 0, 1}, {5, 0, 9}, {1 << 23, 0, 12345}};

static void check_case(const struct amo* row, const struct operands* c, const shmem_ctx_t* ctx, void* cell, int target,
                       int source) {
  const uint64_t mask = amo_mask(row->element);
  row->write(cell, c->old);
  shmem_barrier_all();
  const uint64_t fetched = row->call(ctx, cell, c->condition, c->value, target);
  if (ctx) shmem_ctx_quiet(*ctx);
  shmem_barrier_all();
  const uint64_t old = c->old & mask, condition = c->condition & mask;
  const uint64_t left = amo_result(row->op, old, condition, c->value) & mask;
  CHECK(!amo_fetches(row->op) || (fetched & mask) == old, "%s atomic %s returned %llx for %llx", row->type,
        amo_op_names[row->op], (unsigned long long)fetched, (unsigned long long)old);
  CHECK((row->read(cell) & mask) == left, "%s atomic %s by PE %d left %llx for %llx", row->type, amo_op_names[row->op],
        source, (unsigned long long)row->read(cell), (unsigned long long)left);
  shmem_barrier_all();
}

static void check_row(const struct amo* row, const shmem_ctx_t* ctx, unsigned char* block) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const int floating = !strcmp(row->type, "float") || !strcmp(row->type, "double");
  const struct operands* c = floating ? floating_cases : cases;
  const size_t count = floating ? LENGTH(floating_cases) : LENGTH(cases);
  memset(block, 0, 64);
  for (size_t i = 0; i < count; i++) {
    check_case(row, &c[i], ctx, block + 8, me, me);
    check_case(row, &c[i], ctx, block + 8, (me + 1) % n, (me + n - 1) % n);
  }
  for (size_t i = 0; i < 64; i++)
    CHECK((i >= 8 && i < 8 + row->element) || block[i] == 0, "%s atomic %s wrote beside its object", row->type,
          amo_op_names[row->op]);
}

int main(void) {
  shmem_ctx_t ctx;
  shmem_init();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* block = memory_take(kind, 64);
    for (size_t i = 0; i < LENGTH(rows); i++) {
      check_row(&rows[i], NULL, block);
      check_row(&rows[i], &ctx, block);
    }
    memory_give_back(kind, block);
  }
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
