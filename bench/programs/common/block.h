// Blocks that prove they were moved. In timed batches a block carries the number of the operation at both ends and in
// the middle. In those that check whole results (bench_whole) every byte is another one in each operation.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Begins a case of blocks of `length` bytes. Blocks of less than 24 bytes carry the number in every byte.
void block_begin(size_t length);
// Writes all bytes, so that no page is a page of zeros.
void block_fill(unsigned char* block);
void block_stamp(unsigned char* block, long operation);

// Whether `block` is what was stamped with this operation.
bool block_arrived(const unsigned char* block, long operation);
