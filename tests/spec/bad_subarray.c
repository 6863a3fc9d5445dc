// Wrong blocks of arrays: one line names the argument, its value and the expected value, and the job ends.
// @extension
// @run pes=2 axes -> fails /PE [01]: shmemx_subarray_put: axes = 9: expected 1 .. 8/
// @run pes=2 element -> fails /PE [01]: shmemx_subarray_put: element_size = 0: expected the bytes of an element/
// @run pes=2 dest -> fails /shmemx_subarray_put: dest_starts\[1\] = 2 and extents\[1\] = 3: the block ends behind dest_sizes\[1\] = 4/
// @run pes=2 source -> fails /shmemx_subarray_get: source_starts\[0\] = 18446744073709551615 and extents\[0\] = 2: the block ends behind source_sizes\[0\] = 4/
// @run pes=2 large -> fails /shmemx_subarray_put: dest_sizes: the array exceeds the address space/
// @run pes=2 pe -> fails /PE [01]: shmemx_subarray_put: pe = 2: expected 0 .. 1/
// @run pes=2 empty_pe -> fails /PE [01]: shmemx_subarray_get_nbi: pe = -1: expected 0 .. 1/
// @run pes=2 outside -> fails /PE [01]: shmemx_subarray_put: dest = .*(not a symmetric address|exceed)/
#include <shmemx.h>

#include "bad_use.h"

static int matrix[4][4];
static const size_t none[9], sizes[9] = {4, 4, 1, 1, 1, 1, 1, 1, 1}, extents[9] = {2, 3, 1, 1, 1, 1, 1, 1, 1};

static void axes(void) { shmemx_subarray_put(matrix, sizes, none, matrix, sizes, none, extents, 9, sizeof(int), 0); }
static void element(void) { shmemx_subarray_put(matrix, sizes, none, matrix, sizes, none, extents, 2, 0, 0); }
static void dest(void) {
  const size_t starts[] = {0, 2};
  shmemx_subarray_put(matrix, sizes, starts, matrix, sizes, none, extents, 2, sizeof(int), 0);
}
static void source(void) {
  const size_t starts[] = {SIZE_MAX, 0};
  shmemx_subarray_get(matrix, sizes, none, matrix, sizes, starts, extents, 2, sizeof(int), 0);
}
static void large(void) {
  const size_t huge[] = {(size_t)1 << 40, (size_t)1 << 40};
  shmemx_subarray_put(matrix, huge, none, matrix, sizes, none, extents, 2, sizeof(int), 0);
}
static void pe(void) { shmemx_subarray_put(matrix, sizes, none, matrix, sizes, none, extents, 2, sizeof(int), 2); }
static void empty_pe(void) {
  shmemx_subarray_get_nbi(matrix, sizes, none, matrix, sizes, none, none, 2, sizeof(int), -1);
}
static void outside(void) {
  const size_t more[] = {(size_t)1 << 20, (size_t)1 << 20}, starts[] = {(size_t)1 << 19, 0};
  shmemx_subarray_put(matrix, more, starts, matrix, sizes, none, extents, 2, sizeof(int), 0);
}

int main(int argc, char** argv) {
  static const struct mistake mistakes[] = {{"axes", axes},         {"element", element}, {"dest", dest},
                                            {"source", source},     {"large", large},     {"pe", pe},
                                            {"empty_pe", empty_pe}, {"outside", outside}};
  shmem_init();
  const int result = make_mistake(mistakes, LENGTH(mistakes), argc, argv);
  shmem_finalize();
  return result;
}
