// How large pieces are that are worked on at a time.
#pragma once

#include <cstddef>

namespace oshen::exchange {

// A piece and what it becomes fit a core's second-level cache together.
inline constexpr std::size_t most_of_piece = std::size_t{512} << 10;
// A block that is moved as a whole is worth a memcpy.
inline constexpr std::size_t least_block = 1024;

}  // namespace oshen::exchange
