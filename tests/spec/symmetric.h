// One pair of calls for both kinds of symmetric memory (a program's own statics, and the symmetric heap), so that a
// test can use both: for (kind = 0; kind < MEMORY_KINDS; kind++).
#pragma once

#include "check.h"

enum memory_kind { MEMORY_HEAP, MEMORY_STATIC, MEMORY_KINDS };

#ifndef STATIC_ARENA_BYTES
#define STATIC_ARENA_BYTES (4u << 20)
#endif

// Static storage duration, not const and not in a shared library: therefore symmetric on every PE.
static _Alignas(64) unsigned char static_arena[STATIC_ARENA_BYTES];
static size_t static_arena_used;

static inline const char* memory_name(int kind) { return kind == MEMORY_STATIC ? "static data" : "symmetric heap"; }

// The variable MEMORY_HINTS, a number, gives the blocks these hints of shmem_malloc_with_hints.
static inline void* memory_of_heap(size_t bytes) {
#if SPEC_AT_LEAST(1, 5)
  const char* hints = getenv("MEMORY_HINTS");
  if (hints != NULL) return shmem_malloc_with_hints(bytes, strtol(hints, NULL, 0));
#endif
  return shmem_align(64, bytes);
}

// `bytes` of zeroed symmetric memory, aligned to 64. All PEs call it, with the same arguments.
static inline void* memory_take(int kind, size_t bytes) {
  const size_t rounded = (bytes + 63) / 64 * 64;
  void* block;
  if (kind == MEMORY_STATIC) {
    CHECK(static_arena_used + rounded <= sizeof static_arena, "static arena too small for %zu", bytes);
    block = static_arena + static_arena_used;
    static_arena_used += rounded;
  } else {
    block = memory_of_heap(rounded);
    CHECK(block != NULL, "no symmetric heap left for %zu bytes", rounded);
  }
  memset(block, 0, rounded);
  shmem_barrier_all();
  return block;
}

// Blocks are freed in the reverse order of their allocation. All PEs call it.
static inline void memory_give_back(int kind, void* block) {
  shmem_barrier_all();
  if (kind == MEMORY_STATIC)
    static_arena_used = (size_t)((unsigned char*)block - static_arena);
  else
    shmem_free(block);
}
