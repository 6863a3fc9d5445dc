// Blocks of the symmetric heap that come, grow, move and go while other operations run. Every PE fills the block of its
// right neighbour with bytes that follow from the block's generation, and checks its own when the block changes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contexts.h"

enum { slots = 3, most_bytes = 200000 };
enum { ALLOCATE, ZEROED, ALIGNED, WAYS };

static struct {
  unsigned char* block;
  size_t bytes;
  uint64_t generation;
} blocks[slots];

static unsigned char byte_of(uint64_t generation, int pe, size_t i) {
  return (unsigned char)((generation * 31 + (uint64_t)pe * 7 + i) * 0x9e3779b97f4a7c15u >> 56);
}

static void check(int slot, size_t bytes, const char* when) {
  for (size_t i = 0; i < bytes; i++) {
    const unsigned char right = byte_of(blocks[slot].generation, me, i);
    if (blocks[slot].block[i] == right) continue;
    fprintf(stderr, "PE %d: heap block of %zu bytes, %s: byte %zu is %02x, not %02x\n", me, blocks[slot].bytes, when, i,
            blocks[slot].block[i], right);
    fflush(stderr);
    shmem_global_exit(1);
  }
}

static void fill_neighbour(int slot) {
  static unsigned char bytes[most_bytes];
  const int neighbour = (me + 1) % n_pes;
  for (size_t i = 0; i < blocks[slot].bytes; i++) bytes[i] = byte_of(blocks[slot].generation, neighbour, i);
  shmem_putmem(blocks[slot].block, bytes, blocks[slot].bytes, neighbour);
}

// The phase's barrier completes the puts, so a slot changes at most once in a phase: it claims a cell of every PE. The
// calls of all slots are collective, and every PE makes them in the order of the list.
static int plan_heap(struct operation* op, struct random* r) {
  op->variant = random_int(r, slots);
  op->count = 1 + random_size(r, most_bytes - 1);
  op->bsize = random_below(r, 2);  // whether an existing block is resized, not freed
  op->value = random_below(r, WAYS);
  op->condition = random_word(r);
  const struct place turn = {HEAP, data_bytes + 8 * (cells - 3 - (size_t)op->variant)};
  for (int pe = 0; pe < n_pes; pe++)
    if (!claim_write(pe, turn, 8)) return 0;
  return 1;
}

static void model_heap(const struct operation* op) { (void)op; }

static unsigned char* allocate(const struct operation* op) {
  if (op->value == ZEROED) return shmem_calloc(op->count, 1);
  return op->value == ALIGNED ? shmem_align(256, op->count) : shmem_malloc(op->count);
}

static void run_heap(const struct operation* op) {
  const int slot = op->variant;
  unsigned char* block = blocks[slot].block;
  if (block) check(slot, blocks[slot].bytes, "before it changes");
  if (block && !op->bsize) {
    shmem_free(block);
    blocks[slot].block = NULL;
    return;
  }
  const size_t kept = blocks[slot].bytes < op->count ? blocks[slot].bytes : op->count;
  blocks[slot].block = block ? shmem_realloc(block, op->count) : allocate(op);
  blocks[slot].bytes = op->count;
  if (!blocks[slot].block) shmem_global_exit(2);
  if (block) check(slot, kept, "after it has moved");
  blocks[slot].generation = op->condition;
  shmem_barrier_all();  // every PE has checked its own
  fill_neighbour(slot);
}

void heap_blocks_free(void) {
  for (int slot = 0; slot < slots; slot++) {
    if (blocks[slot].block) check(slot, blocks[slot].bytes, "at the end");
    shmem_free(blocks[slot].block);
    blocks[slot].block = NULL;
  }
}

const struct operation_kind heap_kinds[] = {{"heap block", 3, plan_heap, model_heap, run_heap},
                                            {NULL, 0, NULL, NULL, NULL}};
