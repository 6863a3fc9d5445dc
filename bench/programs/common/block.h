// Blocks that prove they were moved: a pattern all over, and the number of the operation at both
// ends and in the middle.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Begins a case of blocks of `length` bytes. Blocks of less than 24 bytes carry the number in every byte.
void block_begin(size_t length);
void block_fill(unsigned char* block);
void block_stamp(unsigned char* block, long operation);

// Whether `block` has the pattern and this stamp. Compares every byte until one block was right, then only the stamps.
bool block_arrived(const unsigned char* block, long operation);
