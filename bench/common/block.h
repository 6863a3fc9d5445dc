// Blocks that prove they were moved: a pattern all over, and the number of the operation at both
// ends and in the middle.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Begins a case of blocks of `length` bytes. Shorter ones than 24 carry the number in every byte.
void block_begin(size_t length);
void block_fill(unsigned char* block);
void block_stamp(unsigned char* block, long operation);

// Whether `block` is a filled one with this stamp; compares every byte the first time it is, later
// the stamps only.
bool block_arrived(const unsigned char* block, long operation);
