// Addresses that are not symmetric, and ranges that leave their segment: routine, argument and
// address.
// @extension
// @run pes=2 stack -> fails /PE 1.*shmem_int_put.*dest = 0x/ /symmetric/
// @run pes=2 c_heap -> fails /PE 1.*shmem_int_put.*dest = 0x/ /symmetric/
// @run pes=2 constant -> fails /PE 1.*shmem_int_get.*source = 0x/ /symmetric/
//
// @run pes=2 null -> fails /PE 1.*shmem_int_p.*dest = / /symmetric/
// @run pes=2 get_source -> fails /PE 1.*shmem_getmem.*source = 0x/ /symmetric/
// @run pes=2 behind_the_heap -> fails /PE 1.*shmem_putmem.*dest = 0x/
//
// @run pes=2 huge_count -> fails /PE 1.*shmem_long_put.*nelems = [0-9]+: exceeds/
// @run pes=2 wrapped_put -> fails /PE 1.*shmem_long_put: nelems = [0-9]+: exceeds the address space/
//
// @run pes=2 wrapped_get -> fails /PE 1.*shmem_long_get: nelems = [0-9]+: exceeds the address space/
// @run pes=2 SHMEM_SYMMETRIC_SIZE=4M iput_end -> fails /fits/ /PE 1.*shmem_long_iput.*dest = 0x/
//
// @run pes=2 SHMEM_SYMMETRIC_SIZE=4M iget_end -> fails /fits/ /PE 1.*shmem_long_iget.*source = 0x/
// @run pes=2 wrapped_stride -> fails /PE 1.*shmem_long_iput.*dst = [0-9]+: .*exceed the address space/
// @run pes=2 strided_end -> fails /PE 1.*shmem_int_iput.*dest = 0x/
//
// @run pes=2 block_end -> fails /PE 1.*shmem_int_ibput.*dest = 0x/
// @run pes=2 atomic -> fails /PE 1.*shmem_int_atomic_inc.*dest = 0x/
// @run pes=2 signal -> fails /PE 1.*shmem_putmem_signal.*sig_addr = 0x/
//
// @run pes=2 shmem_ptr_result -> fails /PE 1.*shmem_int_p.*dest = (0x|\(nil\))/
// @run pes=2 lock -> fails /PE 1.*shmem_set_lock.*lock = 0x/
// @run pes=2 wait -> fails /PE 1.*shmem_long_wait_until.*ivar = 0x/
//
// @run pes=2 reduce -> fails /PE 1.*shmem_int_sum_reduce.*dest = 0x/
#include <shmemx.h>

#include "bad_use.h"

static int cell, value;
static uint64_t signal_cell;
static const int constant = 3;
static const size_t tebibyte = (size_t)1 << 40;

static void stack(void) {
  int local = 0;
  shmem_int_put(&local, &value, 1, 0);
}
static void c_heap(void) {
  int* block = malloc(sizeof(int));
  shmem_int_put(block, &value, 1, 0);
  free(block);
}
static void constant_source(void) { shmem_int_get(&value, &constant, 1, 0); }
static void null(void) { shmem_int_p(NULL, 1, 0); }
static void get_source(void) {
  char local[8] = "";
  shmem_getmem(&value, local, 4, 0);
}
static void behind_the_heap(void) { shmem_putmem(&cell, &value, tebibyte, 0); }
static void huge_count(void) { shmem_long_put((long*)&signal_cell, (long*)&signal_cell, SIZE_MAX / 8, 0); }
// The size of this many elements is 8 bytes modulo 2^64, a range that would be valid.
static const size_t wrapping = SIZE_MAX / 8 + 2;
static void wrapped_put(void) { shmem_long_put((long*)&signal_cell, (long*)&signal_cell, wrapping, 0); }
static void wrapped_get(void) { shmem_long_get((long*)&signal_cell, (long*)&signal_cell, wrapping, 0); }
static void wrapped_stride(void) {
  shmem_long_iput((long*)&signal_cell, (long*)&signal_cell, PTRDIFF_MAX / 2 + 1, 1, 5, 0);
}

// `count` elements, every third one; the last is the last element of the heap, or lies just behind the heap.
static const size_t count = 5, stride = 3;
static long* first_of_heap;
static long* last_of_heap(void) {
  shmemx_heap_info_t heap;
  shmemx_heap_info(&heap, sizeof heap);
  return first_of_heap + heap.bytes / sizeof *first_of_heap - 1;
}
static void iput_end(void) {
  long* first = last_of_heap() - (count - 1) * stride;
  const long values[] = {1, 2, 3, 4, 5};
  shmem_long_iput(first, values, (ptrdiff_t)stride, 1, count, 0);
  printf("it fits\n");
  fflush(stdout);
  shmem_long_iput(first + 1, values, (ptrdiff_t)stride, 1, count, 0);
}
static void iget_end(void) {
  long* first = last_of_heap() - (count - 1) * stride;
  long values[5];
  shmem_long_iget(values, first, 1, (ptrdiff_t)stride, count, 0);
  printf("it fits\n");
  fflush(stdout);
  shmem_long_iget(values, first + 1, 1, (ptrdiff_t)stride, count, 0);
}
static void strided_end(void) { shmem_int_iput(&cell, &value, (ptrdiff_t)1 << 40, 1, 2, 0); }
static void block_end(void) { shmem_int_ibput(&cell, &value, (ptrdiff_t)1 << 40, 1, 1, 2, 0); }
static void atomic(void) {
  int local = 0;
  shmem_int_atomic_inc(&local, 0);
}
static void signal(void) {
  uint64_t local = 0;
  shmem_putmem_signal(&cell, &value, 4, &local, 1, SHMEM_SIGNAL_SET, 0);
}
// The result of shmem_ptr is for loads and stores only. It is NULL for a PE on another node.
static void shmem_ptr_result(void) { shmem_int_p(shmem_ptr(&cell, 0), 1, 0); }
static void lock(void) {
  long local = 0;
  shmem_set_lock(&local);
}
static void wait(void) {
  long local = 0;
  shmem_long_wait_until(&local, SHMEM_CMP_EQ, 1);
}
static void reduce(void) {
  int local = 0;
  shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &local, &value, 1);
}

static const struct mistake mistakes[] = {{"stack", stack},
                                          {"c_heap", c_heap},
                                          {"constant", constant_source},
                                          {"null", null},
                                          {"get_source", get_source},
                                          {"behind_the_heap", behind_the_heap},
                                          {"huge_count", huge_count},
                                          {"wrapped_put", wrapped_put},
                                          {"wrapped_get", wrapped_get},
                                          {"wrapped_stride", wrapped_stride},
                                          {"iput_end", iput_end},
                                          {"iget_end", iget_end},
                                          {"strided_end", strided_end},
                                          {"block_end", block_end},
                                          {"atomic", atomic},
                                          {"signal", signal},
                                          {"shmem_ptr_result", shmem_ptr_result},
                                          {"lock", lock},
                                          {"wait", wait},
                                          {"reduce", reduce}};

int main(int argc, char** argv) {
  shmem_init();
  first_of_heap = shmem_malloc(sizeof(long));
  return make_mistake(mistakes, LENGTH(mistakes), argc, argv);
}
