// One call may mix segments: heap to static, static to heap, static to static, from and to the
// stack.
#include "check.h"
#include "pattern.h"

enum { bytes = 3000 };
static unsigned char data[bytes] = {1};  // initialised data
static unsigned char zeroed[bytes];      // bss
static unsigned char second_zeroed[bytes];

static void check_pair(unsigned char* dest, unsigned char* source, const char* what) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  pattern_fill(source, bytes, (unsigned)me);
  memset(dest, 0, bytes);
  shmem_barrier_all();
  shmem_putmem(dest, source, bytes, right);
  shmem_barrier_all();
  size_t at = pattern_mismatch(dest, bytes, (unsigned)left);
  CHECK(at == bytes, "put, %s: byte %zu", what, at);
  shmem_barrier_all();
  shmem_getmem(dest, source, bytes, right);
  at = pattern_mismatch(dest, bytes, (unsigned)right);
  CHECK(at == bytes, "get, %s: byte %zu", what, at);
  shmem_barrier_all();
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), right = (me + 1) % shmem_n_pes();
  unsigned char* heap = shmem_malloc(bytes);
  unsigned char* second_heap = shmem_malloc(bytes);
  check_pair(heap, second_heap, "heap to heap");
  check_pair(heap, data, "data to heap");
  check_pair(heap, zeroed, "bss to heap");
  check_pair(data, heap, "heap to data");
  check_pair(zeroed, heap, "heap to bss");
  check_pair(zeroed, data, "data to bss");
  check_pair(zeroed, second_zeroed, "bss to bss");

  unsigned char stack[bytes];
  pattern_fill(stack, bytes, (unsigned)me);
  shmem_putmem(zeroed, stack, bytes, right);
  shmem_barrier_all();
  shmem_getmem(stack, zeroed, bytes, right);
  CHECK(pattern_mismatch(stack, bytes, (unsigned)me) == bytes, "stack to bss and back");
  shmem_free(second_heap);
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
