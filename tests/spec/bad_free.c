// Pointers that are not blocks of the heap, or no longer: free and realloc name the address.
// @extension
// @run pes=1,2 free_twice -> fails /shmem_free.*ptr = 0x/
// @run pes=1,2 free_inside -> fails /shmem_free.*ptr = 0x/
// @run pes=1,2 free_static -> fails /shmem_free.*ptr = 0x/
// @run pes=1,2 free_c_heap -> fails /shmem_free.*ptr = 0x/
//
// @run pes=1,2 realloc_freed -> fails /shmem_realloc.*ptr = 0x/
#include "check.h"

int main(int argc, char** argv) {
  static int data;
  shmem_init();
  CHECK(argc == 2, "usage: bad_free MISTAKE");
  // Heap calls are collective, so every PE makes the mistake.
  char* block = shmem_malloc(100);
  void* c_block = malloc(100);
  if (!strcmp(argv[1], "free_static")) shmem_free(&data);
  if (!strcmp(argv[1], "free_c_heap")) shmem_free(c_block);
  if (!strcmp(argv[1], "free_inside")) shmem_free(block + 16);
  shmem_free(block);
  if (!strcmp(argv[1], "free_twice")) shmem_free(block);
  if (!strcmp(argv[1], "realloc_freed")) block = shmem_realloc(block, 200);
  printf("survived %s\n", argv[1]);
  return 0;
}
