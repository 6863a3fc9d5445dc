// Where this process runs: its CPUs and its view of process numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::os {

inline constexpr std::size_t mask_words = 16;  // 1024 CPUs

// One bit per CPU this process may run on.
void read_cpu_mask(std::uint64_t (&mask)[mask_words]);

// The same number in two processes: a pid of one means the same process to the other.
std::uint64_t pid_namespace();

// A number for this machine, as its processes see it: boot and host name. A hint, never a proof (world/locality.hpp).
std::uint64_t host();

}  // namespace oshen::os
