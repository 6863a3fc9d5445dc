// Blocks that no cache holds: the chunks of one area. A batch uses each chunk once, in an order that no prefetcher
// guesses. Before each batch all bytes are written anew and their lines are evicted from all caches.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// One area is the source and another of the same shape the target; each case has its own.
typedef struct {
  size_t length;  // of a chunk
  size_t step;    // from chunk to chunk: whole lines
  long chunks;
  long turn;  // how often it was renewed; equal in all processes that use it
} cold_area;

cold_area cold_begin(size_t length);

// The chunk of operation i.
static inline size_t cold_offset(const cold_area* area, long operation) {
  const unsigned long far = 1000003;  // a prime larger than any number of chunks
  return (unsigned long)operation * far % (unsigned long)area->chunks * area->step;
}

// Before each batch: writes the new turn into `source`, clears `target`, and evicts the lines of both.
void cold_renew(cold_area* area, unsigned char* source, unsigned char* target);

// Whether the chunks of operations first .. first + count - 1 of this turn have arrived.
bool cold_arrived(const cold_area* area, const unsigned char* target, long first, long count);
