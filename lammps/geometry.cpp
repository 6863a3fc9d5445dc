#include "geometry.hpp"

#include <algorithm>

namespace oshen::lammps {
namespace {

// Byte strides of a block along fast, mid and slow when the axes are stored from axis `first` on,
// cyclically.
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

// The part `what` of a block that is stored with these strides. Both sides list the axes in the
// order in which the output is stored, so that the receiver writes runs and the sender does the
// transposing, once, on the way out.
oshen_box_t box_of(const block& what, const block& whole, const strides& memory, storage how) {
  oshen_box_t box{};
  box.element = how.element;
  for (int n = 0; n < 3; n++) {
    const int axis = (how.permute + n) % 3;
    box.extent[n] = what.extent(axis);
    box.stride[n] = memory.along[axis];
    box.offset += static_cast<std::size_t>(what.lo[axis] - whole.lo[axis]) * memory.along[axis];
  }
  return box;
}

// Parts of `mine` in each of `theirs`.
std::vector<oshen_message_t> messages(const block& mine, std::span<const block> theirs,
                                      const strides& memory, storage how) {
  std::vector<oshen_message_t> list;
  for (std::size_t peer = 0; peer < theirs.size(); peer++) {
    const block part = overlap(mine, theirs[peer]);
    const std::size_t bytes = part.elements() * how.element;
    if (bytes != 0)
      list.push_back({static_cast<int>(peer), bytes, box_of(part, mine, memory, how)});
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

std::vector<oshen_message_t> sends(std::span<const block> in, std::span<const block> out, int me,
                                   storage how) {
  const block& mine = in[static_cast<std::size_t>(me)];
  return messages(mine, out, strides_of(mine, 0, how.element), how);
}

std::vector<oshen_message_t> receives(std::span<const block> in, std::span<const block> out, int me,
                                      storage how) {
  const block& mine = out[static_cast<std::size_t>(me)];
  return messages(mine, in, strides_of(mine, how.permute, how.element), how);
}

}  // namespace oshen::lammps
