// SHMEM_PTR: on one node plain loads and stores reach the heap and the statics of every PE. Null
// for addresses that are not symmetric.
// @single_node
#include "check.h"

enum { count = 5000 };
static long data[count] = {1}, bss[count];

static void check_object(long* object, const char* what) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  CHECK(shmem_ptr(object, me) == object, "%s: my own", what);
  long* there = shmem_ptr(object, right);
  CHECK(there != NULL, "%s: PE %d cannot be reached", what, right);
  CHECK(n == 1 || there != object, "%s: PE %d is not me", what, right);
  for (int i = 0; i < count; i++) there[i] = me * 10000 + i;
  shmem_barrier_all();
  for (int i = 0; i < count; i++) CHECK(object[i] == left * 10000 + i, "%s: element %d", what, i);
  CHECK(shmem_long_g(&object[7], right) == there[7], "%s: get and load disagree", what);
  shmem_barrier_all();
  shmem_long_atomic_add(&object[0], 5, right);
  shmem_quiet();
  CHECK(there[0] == me * 10000 + 5, "%s: an atomic is not seen by a load", what);
  shmem_barrier_all();
}

int main(void) {
  static long local_static;
  shmem_init();
  long* heap = shmem_malloc(count * sizeof(long));
  long on_stack;
  check_object(heap, "heap");
  check_object(data, "data");
  check_object(bss, "bss");
  CHECK(shmem_ptr(&on_stack, shmem_my_pe()) == NULL, "the stack is not symmetric");
  CHECK(shmem_ptr(&local_static, 0) != NULL, "a static inside a function is");
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
