// Whether the node's memory can back a new block. Memory is allocated only if it exists: a missing page would later
// cause a SIGBUS or the out-of-memory killer. It is a judgement, not a reservation.
#pragma once

#include "world/world.hpp"

namespace oshen {

// The memory of the node is checked again when the bytes in use of all PEs have grown by this much since the last
// check. As much is kept in reserve, for blocks that are not checked and for memory of the PEs outside the heap.
inline constexpr std::size_t unchecked_bytes = std::size_t{32} << 20;

// The growth of one PE's blocks from which on it is checked.
std::size_t checked_growth(const world& w);

// `bytes` of memory, and of the page tables that map it.
std::size_t with_page_tables(const world& w, std::size_t bytes);

// Bytes that may still be allocated on this node: the available memory, less memory that was allocated but not touched,
// and less the reserve. Every PE has `heap_used` bytes in blocks of shmem_malloc.
std::size_t room_left(const world& w, std::size_t heap_used);

// Bytes of a block of this PE that no page backs. Beyond `high_water` no page of its part of the heap is backed.
std::size_t missing_bytes(const world& w, std::size_t offset, std::size_t bytes, std::size_t high_water);

}  // namespace oshen
