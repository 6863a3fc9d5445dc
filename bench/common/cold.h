// Blocks that no cache holds: pieces of one area, of which each is used once in a batch, in an order that no prefetcher
// guesses. Before each batch they are written anew, all bytes of them, and their lines are put out of all caches.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// One area is the source and another of the same shape the target; each case has its own.
typedef struct {
  size_t length;  // of a piece
  size_t step;    // from piece to piece: whole lines
  long pieces;
  long turn;  // batches so far; every process counts the same
} cold_area;

cold_area cold_begin(size_t length);

// The piece of operation i.
static inline size_t cold_offset(const cold_area* area, long operation) {
  const unsigned long far = 1000003;  // a prime larger than any number of pieces
  return (unsigned long)operation * far % (unsigned long)area->pieces * area->step;
}

// For the next batch: a source, which says whose turn it is; or a target, where nothing is.
void cold_write(const cold_area* area, unsigned char* source);
void cold_clear(const cold_area* area, unsigned char* target);

// Whether the pieces of operations first .. first + count - 1 have come.
bool cold_arrived(const cold_area* area, const unsigned char* target, long first, long count);
