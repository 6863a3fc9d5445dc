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
  long turn;  // how often it was renewed, in every process that uses it
} cold_area;

cold_area cold_begin(size_t length);

// The piece of operation i.
static inline size_t cold_offset(const cold_area* area, long operation) {
  const unsigned long far = 1000003;  // a prime larger than any number of pieces
  return (unsigned long)operation * far % (unsigned long)area->pieces * area->step;
}

// Before each batch, its turn: `source` says which it is, `target` holds nothing, and no cache has a line of either.
void cold_renew(cold_area* area, unsigned char* source, unsigned char* target);

// Whether the pieces of operations first .. first + count - 1 of this turn have come.
bool cold_arrived(const cold_area* area, const unsigned char* target, long first, long count);
