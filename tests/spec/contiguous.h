// One test for every call with arguments (dest, source, nelems, pe): puts and gets of any type.
//
// A program makes a table of `struct transfer`, one row per form of the call, and hands each row to
// check_put or check_get. Rows hide the element type; the test works on bytes.
#pragma once

#include "pattern.h"
#include "symmetric.h"
#include "types.h"

struct transfer {
  const char* name;
  size_t element, significant;  // bytes of an element, and those of them that carry its value
  void (*call)(void* dest, const void* source, size_t nelems, int pe);
};

enum completion { BLOCKING, NONBLOCKING };

// Sizes at which implementations may change their method: nothing, one, words, cache lines, pages, 64 KiB.
static const size_t element_counts[] = {0, 1, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1023, 1025, 4095, 4096, 4097};
enum { most_elements = 4097, guard_bytes = 64, guard_value = 0xa5, widest_element = 16 };

// Made by main: the context that the ctx_ rows use.
static shmem_ctx_t test_ctx;

static inline void complete_all(void) {
  shmem_quiet();
  shmem_ctx_quiet(test_ctx);
}

// The block is `guard | bytes | guard`: a transfer must write all bytes and no others.
static inline void check_block(const struct transfer* t, const unsigned char* block, size_t bytes, unsigned seed,
                               const char* where) {
  const unsigned char* data = block + guard_bytes;
  size_t at = byte_mismatch(block, guard_bytes, guard_value);
  CHECK(at == guard_bytes, "%s, %s: byte %zu before the destination changed", t->name, where, at);
  at = pattern_value_mismatch(data, bytes / t->element, t->element, t->significant, seed);
  CHECK(at == bytes, "%s, %s: byte %zu of %zu is wrong", t->name, where, at, bytes);
  at = byte_mismatch(data + bytes, guard_bytes, guard_value);
  CHECK(at == guard_bytes, "%s, %s: byte %zu behind the destination changed", t->name, where, at);
}

// Every PE puts to its right neighbour, and must receive the pattern of its left neighbour.
static inline void put_once(const struct transfer* t, enum completion completion, size_t nelems, unsigned char* block,
                            unsigned char* source, const char* where) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const int right = (me + 1) % n, left = (me + n - 1) % n;
  const size_t bytes = nelems * t->element;

  memset(block, guard_value, bytes + 2 * guard_bytes);
  pattern_fill(source, bytes, (unsigned)me);
  shmem_barrier_all();
  t->call(block + guard_bytes, source, nelems, right);
  // A blocking put returns when the source may be reused; a nonblocking one owns it until quiet.
  if (completion == BLOCKING) memset(source, 0, bytes);
  complete_all();
  shmem_barrier_all();
  check_block(t, block, bytes, (unsigned)left, where);
}

static inline void get_once(const struct transfer* t, enum completion completion, size_t nelems, unsigned char* source,
                            unsigned char* block, const char* where) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const int right = (me + 1) % n;
  const size_t bytes = nelems * t->element;

  memset(block, guard_value, bytes + 2 * guard_bytes);
  pattern_fill(source, bytes, (unsigned)me);
  shmem_barrier_all();
  t->call(block + guard_bytes, source, nelems, right);
  // A blocking get is complete when it returns; a nonblocking one after quiet.
  if (completion == NONBLOCKING) complete_all();
  check_block(t, block, bytes, (unsigned)right, where);
  shmem_barrier_all();
}

static inline void check_put(const struct transfer* t, enum completion completion) {
  const size_t most = most_elements * widest_element;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* block = memory_take(kind, most + 2 * guard_bytes);
    unsigned char* source = malloc(most);
    for (size_t i = 0; i < LENGTH(element_counts); i++)
      put_once(t, completion, element_counts[i], block, source, memory_name(kind));
    free(source);
    memory_give_back(kind, block);
  }
}

static inline void check_get(const struct transfer* t, enum completion completion) {
  const size_t most = most_elements * widest_element;
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* source = memory_take(kind, most);
    unsigned char* block = malloc(most + 2 * guard_bytes);
    for (size_t i = 0; i < LENGTH(element_counts); i++)
      get_once(t, completion, element_counts[i], source, block, memory_name(kind));
    free(block);
    memory_give_back(kind, source);
  }
}

static inline void create_test_ctx(void) {
  CHECK(shmem_ctx_create(0, &test_ctx) == 0, "no context with default options");
}
