#include "exchange/copy/list_copy.hpp"

#include <cstring>

namespace oshen::exchange {
namespace {

// A copy of fixed size compiles to a load and a store.
template <class Move>
void by_size(std::size_t element, Move move) {
  switch (element) {
    case 4: return move([](std::byte* to, const std::byte* from) { std::memcpy(to, from, 4); });
    case 8: return move([](std::byte* to, const std::byte* from) { std::memcpy(to, from, 8); });
    case 16: return move([](std::byte* to, const std::byte* from) { std::memcpy(to, from, 16); });
    default: return move([element](std::byte* to, const std::byte* from) { std::memcpy(to, from, element); });
  }
}

}  // namespace

void gather_list(const offset_list& offsets, std::size_t element, const std::byte* from, std::byte* wire) {
  by_size(element, [&](auto copy) {
    for (const std::size_t offset : offsets) {
      copy(wire, from + offset);
      wire += element;
    }
  });
}

void scatter_list(const offset_list& offsets, std::size_t element, const std::byte* wire, std::byte* to) {
  by_size(element, [&](auto copy) {
    for (const std::size_t offset : offsets) {
      copy(to + offset, wire);
      wire += element;
    }
  });
}

offset_list offsets_of(const oshen_box_t& box) {
  offset_list all;
  all.reserve(box.extent[0] * box.extent[1] * box.extent[2]);
  for (std::size_t c = 0; c < box.extent[2]; c++) {
    for (std::size_t b = 0; b < box.extent[1]; b++) {
      for (std::size_t a = 0; a < box.extent[0]; a++)
        all.push_back(box.offset + a * box.stride[0] + b * box.stride[1] + c * box.stride[2]);
    }
  }
  return all;
}

}  // namespace oshen::exchange
