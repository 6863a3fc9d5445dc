// SHMEM_P and SHMEM_G: one element by value, all 24 types, default and own context.
#include "symmetric.h"
#include "types.h"

static shmem_ctx_t ctx;
static const int values[] = {0, 1, 2, 63, 64, 100, 126, 127};

struct row {
  const char* name;
  size_t element;
  void (*p)(void* dest, int value, int pe);
  int (*g)(const void* source, int pe);
  int (*read)(const void* local);
};

#define CALLS(NAME, TYPE)                                                                         \
  static void p_##NAME(void* d, int v, int pe) { shmem_##NAME##_p(d, (TYPE)v, pe); }              \
  static int g_##NAME(const void* s, int pe) { return (int)shmem_##NAME##_g(s, pe); }             \
  static int read_##NAME(const void* s) { return (int)*(const TYPE*)s; }                          \
  static void ctx_p_##NAME(void* d, int v, int pe) { shmem_ctx_##NAME##_p(ctx, d, (TYPE)v, pe); } \
  static int ctx_g_##NAME(const void* s, int pe) { return (int)shmem_ctx_##NAME##_g(ctx, s, pe); }
STANDARD_RMA_TYPES(CALLS)

#define ROWS(NAME, TYPE)                                  \
  {#NAME, sizeof(TYPE), p_##NAME, g_##NAME, read_##NAME}, \
      {"ctx " #NAME, sizeof(TYPE), ctx_p_##NAME, ctx_g_##NAME, read_##NAME},
static const struct row rows[] = {STANDARD_RMA_TYPES(ROWS)};

// A ring of p, each value to the middle one of three elements; g reads it back from the right.
static void check_value(const struct row* row, unsigned char* block, int value) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n;
  unsigned char* middle = block + row->element;

  memset(block, 0, 3 * row->element);
  shmem_barrier_all();
  row->p(middle, value, right);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(row->read(middle) == value, "%s_p wrote %d for %d", row->name, row->read(middle), value);
  for (size_t i = 0; i < row->element; i++)
    CHECK(block[i] == 0 && middle[row->element + i] == 0, "%s_p wrote beside its element", row->name);
  const int got = row->g(middle, right);
  CHECK(got == value, "%s_g returned %d for %d", row->name, got, value);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  CHECK(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* block = memory_take(kind, 64);
    for (size_t r = 0; r < LENGTH(rows); r++)
      for (size_t v = 0; v < LENGTH(values); v++) check_value(&rows[r], block, values[v]);
    memory_give_back(kind, block);
  }
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
