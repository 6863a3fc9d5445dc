// Copies between elements at arbitrary offsets in a user's buffer, given as a list, and the wire, where they lie one
// after another.
#pragma once

#include <cstddef>
#include <vector>

#include "oshen/exchange.h"

namespace oshen::exchange {

using offset_list = std::vector<std::size_t>;  // bytes from the start of the buffer; empty: use the box instead

void gather_list(const offset_list& offsets, std::size_t element, const std::byte* from, std::byte* wire);
void scatter_list(const offset_list& offsets, std::size_t element, const std::byte* wire, std::byte* to);

// The offsets of the elements of a box, in wire order.
offset_list offsets_of(const oshen_box_t& box);

// Visits a copy of `n` elements as blocks that are contiguous on both sides. from(i) and to(i) are the offsets of
// element i; calls visit(from, to, bytes).
template <class From, class To, class Visit>
void for_each_list_block(std::size_t n, std::size_t element, From from, To to, Visit visit) {
  for (std::size_t i = 0, length = 1; i < n; i += length) {
    const auto continues = [&](std::size_t k) {
      return from(i + k) == from(i) + k * element && to(i + k) == to(i) + k * element;
    };
    for (length = 1; i + length < n && continues(length);) length++;
    visit(from(i), to(i), length * element);
  }
}

}  // namespace oshen::exchange
