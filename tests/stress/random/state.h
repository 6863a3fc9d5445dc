// Parts of the memories that only the driver of the random program uses.
#pragma once

#include "program.h"

struct difference {
  struct place place;
  unsigned char real, expected;
  const struct operation* writer;  // the operation that writes it in this phase; null: none
};

// Gives all memories, real and model, the same random content.
void memories_fill(struct random* r, void* heap, void* private);

void claims_clear(void);

// Compares all of this PE's memory with the model. 1 and *found if they differ.
int first_difference(struct difference* found);
