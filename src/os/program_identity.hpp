// Which program this process runs, and what belongs to it.
#pragma once

#include <cstdint>

namespace oshen::os {

// A number that two processes have in common if they run the same executable: made of the build-id that the linker
// gave it. Without one, of how its segments lie and begin.
std::uint64_t program_identity();

// The address lies in what was loaded from the executable file, constants and instructions included.
bool belongs_to_program(const void* address);

}  // namespace oshen::os
