// What only the driver of the random program needs of the memories.
#pragma once

#include "program.h"

struct difference {
  struct place place;
  unsigned char real, expected;
  const struct operation* writer;  // who should have written it in this phase; null: nobody
};

// Gives all memories, real and model, the same random content.
void memories_fill(struct random* r, void* heap, void* private);

void claims_clear(void);

// Compares all of this PE's memory with the model. 1 and *found if they differ.
int first_difference(struct difference* found);
