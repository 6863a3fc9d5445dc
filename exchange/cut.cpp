#include "cut.hpp"

#include <algorithm>
#include <numeric>

#include "sizes.hpp"

namespace oshen::exchange {
namespace {

std::size_t bytes_of(std::span<const oshen_box_t> boxes) {
  std::size_t all = 0;
  for (const auto& box : boxes) all += box.element * volume(box);
  return all;
}

}  // namespace

bool cut::whole::form(std::span<const oshen_box_t> boxes) {
  if (boxes.empty()) return false;
  low = ~std::size_t{0};
  std::size_t high = 0;
  for (const auto& box : boxes) {
    if (!std::equal(box.stride, box.stride + 3, boxes[0].stride)) return false;
    std::size_t last = box.offset + box.element;
    for (int a = 0; a < 3; a++) last += (box.extent[a] - 1) * box.stride[a];
    low = std::min(low, box.offset);
    high = std::max(high, last);
  }
  bytes = high - low;
  std::copy_n(boxes[0].stride, 3, stride);
  std::iota(order, order + 3, 0);
  std::stable_sort(order, order + 3, [this](int a, int b) { return stride[a] < stride[b]; });
  std::size_t step = boxes[0].element;
  for (int n = 0; n < 3; n++) {
    const std::size_t next = n < 2 ? stride[order[n + 1]] : bytes;
    if (stride[order[n]] != step || next % step != 0) return false;
    extent[order[n]] = next / step;
    step = next;
  }
  return true;
}

std::size_t cut::whole::start_of(const oshen_box_t& box, int axis) const {
  return (box.offset - low) / stride[axis] % extent[axis];
}

std::uint64_t cut::possible(std::span<const oshen_box_t> in, std::span<const oshen_box_t> out) {
  if (in.empty() && out.empty()) return ~std::uint64_t{0};
  whole before;
  if (!before.form(in) || !out_.form(out)) return 0;
  if (before.low != out_.low || before.bytes != out_.bytes) return 0;
  if (bytes_of(in) != out_.bytes || bytes_of(out) != out_.bytes) return 0;  // gaps
  axis_ = before.order[2];
  part_ = out[0].extent[axis_];
  const auto is_part = [this](const oshen_box_t& box) {
    return box.extent[axis_] == part_ && out_.start_of(box, axis_) % part_ == 0;
  };
  if (!std::all_of(out.begin(), out.end(), is_part)) return 0;
  const std::size_t side = before.extent[axis_];
  const auto is_whole = [&](const oshen_box_t& box) { return box.extent[axis_] == side; };
  if (!std::all_of(in.begin(), in.end(), is_whole)) return 0;
  std::uint64_t all = out_.bytes <= most_of_piece ? 1 : 0;
  for (std::size_t k = 2; k <= 64; k++) {
    if (side % k != 0 || part_ % k != 0 || out_.bytes / k > most_of_piece) continue;
    if (part_ / k * out_.stride[axis_] >= least_block) all |= std::uint64_t{1} << (k - 1);
  }
  return all;
}

void cut::into(std::size_t pieces) {
  pieces_ = pieces;
  if (pieces == 1 || out_.bytes == 0) return;  // nothing to move in the end
  const std::size_t block = part_ / pieces * out_.stride[axis_];
  blocks_.form(pieces, out_.bytes / pieces / block, block);
}

oshen_box_t cut::piece_of(const oshen_box_t& box, std::size_t k) const {
  oshen_box_t piece = box;
  piece.extent[axis_] /= pieces_;
  piece.offset += k * piece.extent[axis_] * box.stride[axis_];
  return piece;
}

oshen_box_t cut::place_of(const oshen_box_t& box, std::size_t k) const {
  oshen_box_t place = piece_of(box, 0);
  place.offset = out_.low + k * (out_.bytes / pieces_);
  for (int a = 0; a < 3; a++) {
    if (out_.stride[a] > out_.stride[axis_]) place.stride[a] /= pieces_;
    const std::size_t start = out_.start_of(box, a);
    place.offset += (a == axis_ ? start / pieces_ : start) * place.stride[a];
  }
  return place;
}

void cut::finish(std::byte* buffer, std::byte* spare) const {
  blocks_.move(buffer + out_.low, spare);
}

}  // namespace oshen::exchange
