#include "geometry.hpp"

#include <algorithm>

namespace oshen::lammps {
namespace {

// Byte strides of a block along fast, mid and slow, with axes stored in cyclic order from axis `first`.
struct strides {
  std::size_t along[3];
};

strides strides_of(const block& b, int first, std::size_t element) {
  strides s{};
  std::size_t step = element;
  for (int n = 0; n < 3; n++) {
    const int axis = (first + n) % 3;
    s.along[axis] = step;
    step *= b.extent(axis);
  }
  return s;
}

// The box of `part` in the block `whole`, which is stored with these strides. Both sides list the axes in the order of
// the output, so that the receiver writes contiguous rows and the sender transposes, once.
oshen_box_t box_of(const block& part, const block& whole, const strides& memory, storage stored) {
  oshen_box_t box{};
  box.element = stored.element;
  for (int n = 0; n < 3; n++) {
    const int axis = (stored.permute + n) % 3;
    box.extent[n] = part.extent(axis);
    box.stride[n] = memory.along[axis];
    box.offset += static_cast<std::size_t>(part.lo[axis] - whole.lo[axis]) * memory.along[axis];
  }
  return box;
}

// The messages between `mine` and each of `theirs`: their overlaps.
std::vector<oshen_message_t> messages(const block& mine, std::span<const block> theirs, const strides& memory,
                                      storage stored) {
  std::vector<oshen_message_t> list;
  for (std::size_t peer = 0; peer < theirs.size(); peer++) {
    const block part = overlap(mine, theirs[peer]);
    const std::size_t bytes = part.elements() * stored.element;
    if (bytes != 0) list.push_back({static_cast<int>(peer), bytes, box_of(part, mine, memory, stored)});
  }
  return list;
}

}  // namespace

block overlap(const block& a, const block& b) {
  block c{};
  for (int axis = 0; axis < 3; axis++) {
    c.lo[axis] = std::max(a.lo[axis], b.lo[axis]);
    c.hi[axis] = std::min(a.hi[axis], b.hi[axis]);
  }
  return c;
}

std::vector<oshen_message_t> sends(std::span<const block> in, std::span<const block> out, int me, storage stored) {
  const block& mine = in[static_cast<std::size_t>(me)];
  return messages(mine, out, strides_of(mine, 0, stored.element), stored);
}

std::vector<oshen_message_t> receives(std::span<const block> in, std::span<const block> out, int me, storage stored) {
  const block& mine = out[static_cast<std::size_t>(me)];
  return messages(mine, in, strides_of(mine, stored.permute, stored.element), stored);
}

}  // namespace oshen::lammps
