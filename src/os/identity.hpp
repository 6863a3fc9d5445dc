// The CPUs of this process, its PID namespace, its user and its machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oshen::os {

inline constexpr std::size_t mask_words = 16;  // 1024 CPUs

// One bit for each CPU that this process may run on.
void read_cpu_mask(std::uint64_t (&mask)[mask_words]);

// Two processes with the same number agree on the meaning of a pid.
std::uint64_t pid_namespace();

// The user of this process, in the numbers of the machine. A user namespace has numbers of its own: `unknown_user`
// there.
inline constexpr std::uint32_t unknown_user = UINT32_MAX;
std::uint32_t user();

// A number for this machine, made of the kernel's boot id and the host name. It is a hint and proves nothing
// (world/locality.hpp).
std::uint64_t host();

}  // namespace oshen::os
