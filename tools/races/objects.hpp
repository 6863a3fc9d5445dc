// Names of objects in symmetric memory.
#pragma once

#include <cstddef>
#include <string>

#include "detector.hpp"

namespace races {

// Blocks of the symmetric heap; all PEs have the same ones.
void add_block(std::uintptr_t start, std::size_t bytes, std::uint32_t site);
void drop_block(std::uintptr_t start);
std::size_t block_bytes(std::uintptr_t start);

// "x[17] (static)" or "element 17 of the block of 800 B from shmem_malloc at prog.c:12". `element`: bytes of an
// element.
std::string object_at(const detector& of, std::size_t offset, std::size_t element);

}  // namespace races
