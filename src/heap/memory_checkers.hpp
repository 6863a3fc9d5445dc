// Tells AddressSanitizer and Valgrind which bytes of this PE's heap are in use, so that they find the program's own
// accesses behind the end of a block and after shmem_free. Without these tools a call costs a few instructions.
//
// AddressSanitizer works if the program was built with -fsanitize=address; the library needs no other build. Valgrind
// works if its header was installed when the library was built.
#pragma once

#include <cstddef>

namespace oshen::heap {

// Memory behind the high-water mark that is marked as free. More would cost shadow memory for an unused heap.
inline constexpr std::size_t guarded_bytes = std::size_t{64} << 10;

// `bytes` of a block of `capacity` bytes are in use now, the rest is not.
void mark_block(char* block, std::size_t bytes, std::size_t capacity);
void mark_resized(char* block, std::size_t bytes, std::size_t capacity);
void mark_freed(char* block, std::size_t capacity);
// No byte of the range belongs to a block.
void mark_unused(char* start, std::size_t bytes);
// The library itself may read the range, which includes bytes that are not in use.
void mark_readable(char* start, std::size_t bytes);

}  // namespace oshen::heap
