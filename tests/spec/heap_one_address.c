// OSHEN_ONE_ADDRESS=1: blocks of the heap have the same address on all PEs, so that PEs may exchange pointers to them.
// @extension
// @run OSHEN_ONE_ADDRESS=1 SHMEM_SYMMETRIC_SIZE=64m
// @run OSHEN_ONE_ADDRESS=1
// @run pes=4 OSHEN_ONE_ADDRESS=1 OSHEN_NODE_PES=2
#include <shmem.h>

#include "symmetric.h"

struct node {
  long value;
  struct node* next;  // on the next PE
};

int main(void) {
  for (int round = 0; round < 2; round++) {
    shmem_init();
    const int me = shmem_my_pe(), n = shmem_n_pes();
    struct node* own = shmem_malloc(sizeof *own);
    struct node** list = shmem_malloc(sizeof *list);
    own->value = me;
    own->next = own;
    *list = own;
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
      struct node *theirs, copy;
      shmem_getmem(&theirs, list, sizeof theirs, pe);
      CHECK(theirs == own, "PE %d has its block at %p, this one at %p", pe, (void*)theirs, (void*)own);
      shmem_getmem(&copy, theirs, sizeof copy, pe);
      CHECK(copy.value == pe && copy.next == own, "PE %d: %ld", pe, copy.value);
    }
    shmem_barrier_all();
    shmem_free(list);
    shmem_finalize();
  }
  return 0;
}
