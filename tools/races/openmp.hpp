// Memory of the threads of OpenMP regions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace races {

// Whether the address is in a block that this thread's share of the region has allocated.
bool owns_block(std::uintptr_t address);
// After an allocation.
void add_own_block(const void* start, std::size_t bytes);

}  // namespace races
