// As twins.c: pairs of programs about the extensions that are families of types, on contexts.
//
// usage: extensions NAME wrong|right     on 3 PEs
#include <shmemx.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { n = 8 };
static long data[n][n];
static float numbers[n];
static shmemx_half_t halves[n], sums[n];
static shmem_ctx_t ctx;
static int me, last;
static bool right;

// case quiet_local: source[*]: needs a quiet of its context
static void quiet_local(void) {
  static long source[n];
  for (int i = 0; i < n; ++i) shmem_ctx_long_put_nbi(ctx, data[i], &source[i], 1, (me + 1) % (last + 1));  // races
  if (right) shmemx_ctx_quiet_local(ctx);
  memset(source, 1, sizeof source);  // races
}

// case subarray: data[*]: nothing orders them
static void subarray(void) {
  static const size_t sizes[] = {n, n}, starts[] = {1, 2}, extents[] = {3, 4};
  if (me == last) data[2][right ? 6 : 5] = data[2][1] = 1;  // races
  static long block[3][4];
  static const size_t zeros[] = {0, 0};
  if (me == 0)
    shmemx_ctx_subarray_put(ctx, data, sizes, starts, block, extents, zeros, extents, 2, sizeof **data, last);  // races
  shmem_ctx_quiet(ctx);
}

// case strided: data[*]: nothing orders them
static void strided(void) {
  static long source[n];
  if (me == last) data[0][right ? 3 : 4] = 1;                                      // races
  if (me == 0) shmemx_ctx_long_iput_nbi(ctx, data[0], source, 2, 1, n / 2, last);  // races
  shmem_ctx_quiet(ctx);
}

// case float_add: numbers[*]: nothing orders them
static void float_add(void) {
  if (me == 0 || me == last) {
    if (right || me == 0)
      shmemx_ctx_float_atomic_add(ctx, &numbers[1], 1, 1);  // races
    else
      shmem_ctx_float_p(ctx, &numbers[1], 1, 1);  // races
  }
  shmem_ctx_quiet(ctx);
}

// case half_sum: halves[*]: nothing orders them
static void half_sum(void) {
  if (me == 0) shmemx_ctx_half_put(ctx, &halves[1], &halves[0], 1, last);  // races
  if (right) shmem_barrier_all();
  if (right) shmem_ctx_quiet(ctx);
  if (right) shmem_barrier_all();
  shmemx_half_sum_reduce(SHMEM_TEAM_WORLD, sums, halves, n);  // races
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"quiet_local", quiet_local},
             {"subarray", subarray},
             {"strided", strided},
             {"float_add", float_add},
             {"half_sum", half_sum}};

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  last = shmem_n_pes() - 1;
  right = argc == 3 && strcmp(argv[2], "right") == 0;
  if (shmem_ctx_create(0, &ctx) != 0) return 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc == 3 && strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
  shmem_ctx_destroy(ctx);
  shmem_barrier_all();
  if (me == 0) puts("done");
  shmem_finalize();
  return 0;
}
