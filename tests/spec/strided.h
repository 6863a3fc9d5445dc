// One test for iput, iget, ibput and ibget of any type, with strides and blocks counted in elements.
#pragma once

#include "pattern.h"
#include "symmetric.h"
#include "types.h"

struct strided_shape {
  ptrdiff_t dst, sst;  // distance of block starts, in elements
  size_t bsize, nblocks;
};

struct strided {
  const char* name;
  size_t element;
  int blocks;  // 0: iput and iget, which have no block size
  void (*call)(void* dest, const void* source, const struct strided_shape* shape, int pe);
};

static const struct strided_shape strided_shapes[] = {
    {1, 1, 1, 0},    {1, 1, 1, 1},  {1, 1, 1, 65}, {1, 2, 1, 64}, {2, 1, 1, 63},   {3, 5, 1, 257}, {17, 1, 1, 100},
    {1, 17, 1, 100}, {4, 4, 4, 16}, {5, 4, 4, 17}, {7, 9, 7, 31}, {64, 65, 63, 9}, {8, 16, 8, 65}, {9, 129, 1, 16},
};
enum { strided_elements = 2100, widest_strided_element = 16 };

static shmem_ctx_t strided_ctx;
static int strided_late;       // whether the source is in use until quiet
static size_t strided_sparse;  // each call gets one of this many shapes, in turn; 0 or 1: all

// The expected effect of the call on element e of block b.
static inline void strided_model(unsigned char* dest, const unsigned char* source, size_t element,
                                 const struct strided_shape* shape) {
  for (size_t b = 0; b < shape->nblocks; b++)
    for (size_t e = 0; e < shape->bsize; e++)
      memcpy(dest + (b * (size_t)shape->dst + e) * element, source + (b * (size_t)shape->sst + e) * element, element);
}

static inline void check_bytes(const struct strided* t, const struct strided_shape* shape, const unsigned char* got,
                               const unsigned char* expected) {
  for (size_t i = 0; i < strided_elements * t->element; i++)
    CHECK(got[i] == expected[i], "%s(dst %td, sst %td, bsize %zu, nblocks %zu): byte %zu", t->name, shape->dst,
          shape->sst, shape->bsize, shape->nblocks, i);
}

// `puts`: this PE's source is put to the right neighbour. Otherwise this PE gets the right neighbour's source.
static inline void check_strided_shape(const struct strided* t, const struct strided_shape* shape, int puts,
                                       unsigned char* shared, unsigned char* local) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  const size_t bytes = strided_elements * t->element;
  unsigned char* dest = puts ? shared : local;
  unsigned char* source = puts ? local : shared;
  unsigned char* expected = malloc(bytes);
  unsigned char* peer_source = malloc(bytes);

  memset(dest, 0xa5, bytes);
  memset(expected, 0xa5, bytes);
  pattern_fill(source, bytes, (unsigned)me);
  pattern_fill(peer_source, bytes, (unsigned)(puts ? left : right));
  strided_model(expected, peer_source, t->element, shape);
  shmem_barrier_all();
  t->call(dest, source, shape, right);
  if (puts && !strided_late) memset(source, 0, bytes);
  shmem_ctx_quiet(strided_ctx);
  shmem_quiet();
  if (puts) memset(source, 0, bytes);
  if (puts) shmem_barrier_all();
  check_bytes(t, shape, dest, expected);
  shmem_barrier_all();
  free(expected);
  free(peer_source);
}

static inline void check_strided(const struct strided* t, int puts) {
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* shared = memory_take(kind, strided_elements * widest_strided_element);
    unsigned char* local = malloc(strided_elements * widest_strided_element);
    static size_t turn;
    for (size_t i = 0; i < LENGTH(strided_shapes); i++)
      if ((strided_sparse <= 1 || turn++ % strided_sparse == 0) && (t->blocks || strided_shapes[i].bsize == 1))
        check_strided_shape(t, &strided_shapes[i], puts, shared, local);
    free(local);
    memory_give_back(kind, shared);
  }
}
