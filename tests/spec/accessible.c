// SHMEM_PE_ACCESSIBLE and SHMEM_ADDR_ACCESSIBLE: heap and statics are, the stack, the C heap and
// code are not.
#include "check.h"

static int data = 1, bss;
static const int constant = 2;

int main(void) {
  shmem_init();
  const int n = shmem_n_pes();
  int on_stack = 0;
  int* c_heap = malloc(sizeof(int));
  int* heap = shmem_malloc(sizeof(int));
  for (int pe = 0; pe < n; pe++) {
    CHECK(shmem_pe_accessible(pe) == 1, "PE %d", pe);
    CHECK(shmem_addr_accessible(heap, pe) == 1, "heap, PE %d", pe);
    CHECK(shmem_addr_accessible(&data, pe) == 1, "data, PE %d", pe);
    CHECK(shmem_addr_accessible(&bss, pe) == 1, "bss, PE %d", pe);
    CHECK(shmem_addr_accessible(&on_stack, pe) == 0, "stack, PE %d", pe);
    CHECK(shmem_addr_accessible(c_heap, pe) == 0, "malloc, PE %d", pe);
    CHECK(shmem_addr_accessible(&constant, pe) == 0, "constant, PE %d", pe);
    CHECK(shmem_addr_accessible(NULL, pe) == 0, "null, PE %d", pe);
  }
  CHECK(shmem_pe_accessible(-1) == 0 && shmem_pe_accessible(n) == 0, "PEs that do not exist");
  shmem_free(heap);
  free(c_heap);
  shmem_finalize();
  return 0;
}
