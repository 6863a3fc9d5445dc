// Where a plan keeps what it has: one block in the arena, which peers reach, and private staging memory.
#pragma once

#include <cstddef>

#include "plan.hpp"

namespace oshen::exchange {

// What the block in the arena holds, as offsets in it.
struct layout {
  std::size_t words = 0, invitations = 0, offers = 0, wanted = 0, kept = 0, slots = 0, packs = 0;
  std::size_t bytes = 0;

  std::size_t add(std::size_t n) {
    const std::size_t at = bytes;
    bytes += aligned(n);
    return at;
  }
};


// What a peer may read of a parcel: its boxes, then the lists of those that have one, which the box says by its stride.
constexpr std::size_t list_follows = ~std::size_t{0};
std::size_t box_bytes(const parcel& p);

// What a plan whose messages are sorted will take: the block, and the staging memory of a run. Local.
layout lay_out(oshen_plan& plan);
void lay_out_staging(oshen_plan& plan);

// Takes the block and writes what peers read there. False: the arena has no room for it, which `l` tells.
bool find_memory(oshen_plan& plan, layout& l);

}  // namespace oshen::exchange
