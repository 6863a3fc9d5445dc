// Copies between a box in a user's buffer and the wire, where its elements lie one after another.
#pragma once

#include <cstddef>

#include "oshen/exchange.h"

namespace oshen::exchange {

// Elements of the box; what travels is this many times box.element bytes.
std::size_t volume(const oshen_box_t& box);

// The same bytes described with as few and as long runs as possible: axes that continue one another
// are merged, axes of extent 1 dropped. Copies are the same; do it once, when a plan is made.
oshen_box_t simplified(oshen_box_t box);

// base + box -> wire, wire -> base + box. The two sides must not overlap.
void gather(const oshen_box_t& box, const std::byte* base, std::byte* wire);
void scatter(const oshen_box_t& box, const std::byte* wire, std::byte* base);

}  // namespace oshen::exchange
