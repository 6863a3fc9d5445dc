// The identity of the executable, and the addresses that belong to it.
#pragma once

#include <cstdint>

namespace oshen::os {

// A hash of the executable's build-id; without a build-id, a hash of its segments. Processes that run the same
// executable get the same number.
std::uint64_t program_identity();

// True if the address lies in a segment of the executable, constants and instructions included.
bool belongs_to_program(const void* address);

}  // namespace oshen::os
