// Heap routines are collective calls of all PEs with the same arguments. If the arguments differ, one line says so at
// once; otherwise blocks would no longer be symmetric.
// @extension
// @run pes=2,3 size -> fails /PE \d: shmem_malloc: size = \d+, but PE \d gives \d+ in the same call \(number 2 of the heap\)/
//
// @run pes=3 same_block_size -> fails /shmem_malloc: size = 1\d\d, but PE \d gives 1\d\d/
// @run pes=2 calloc_count -> fails /shmem_calloc: count = /
// @run pes=2 alignment -> fails /shmem_align: alignment = /
//
// @run pes=2 free_other_block -> fails /shmem_free: ptr = heap \+ \d+, but PE \d gives heap \+ \d+/
// @run pes=3 realloc_size -> fails /shmem_realloc: size = /
//
// @run pes=2,3 malloc_against_free -> fails /PE \d: shmem_(malloc|free): PE \d calls (malloc|free) instead/
// @run pes=2,3 malloc_against_barrier -> fails /PE \d: shmem_malloc: PE \d has not called it/
//
// @run pes=3 barrier_against_malloc -> fails /PE \d: shmem_malloc: PE \d has not called it/
// @run pes=2 one_call_less -> fails /PE \d: shmem_malloc: PE \d has not called it/
#include "bad_use.h"

static char *first, *second;
static int odd;  // this PE makes the different call

static void size(void) { shmem_malloc(odd ? 4096 : 64); }
static void same_block_size(void) {
  shmem_malloc(odd ? 100 : 120);  // both take 128
}
static void calloc_count(void) { shmem_calloc(odd ? 10 : 20, odd ? 20 : 10); }
static void alignment(void) { shmem_align(odd ? 64 : 128, 100); }
static void free_other_block(void) { shmem_free(odd ? first : first + 128); }
static void realloc_size(void) { first = shmem_realloc(first, odd ? 10 : 10000); }
static void malloc_against_free(void) {
  if (odd)
    shmem_free(first);
  else
    second = shmem_malloc(100);
}
static void malloc_against_barrier(void) {
  if (odd)
    shmem_barrier_all();
  else
    second = shmem_malloc(100);
}
static void barrier_against_malloc(void) {
  if (!odd)
    shmem_barrier_all();
  else
    second = shmem_malloc(100);
}
static void one_call_less(void) {
  if (!odd) shmem_malloc(64);
  shmem_malloc(64);
  shmem_malloc(64);
}

static const struct mistake mistakes[] = {{"size", size},
                                          {"same_block_size", same_block_size},
                                          {"calloc_count", calloc_count},
                                          {"alignment", alignment},
                                          {"free_other_block", free_other_block},
                                          {"realloc_size", realloc_size},
                                          {"malloc_against_free", malloc_against_free},
                                          {"malloc_against_barrier", malloc_against_barrier},
                                          {"barrier_against_malloc", barrier_against_malloc},
                                          {"one_call_less", one_call_less}};

int main(int argc, char** argv) {
  shmem_init();
  odd = shmem_my_pe() == 1;
  first = shmem_malloc(128);
  if (argc > 1 && !strcmp(argv[1], "free_other_block")) second = shmem_malloc(128);
  return make_mistakes(mistakes, LENGTH(mistakes), LENGTH(mistakes), argc, argv);
}
