#include "exchange/copy/chunked_remap.hpp"

#include <algorithm>
#include <numeric>

#include "exchange/copy/block_cycles.hpp"

namespace oshen::exchange {
namespace {

// If no number of chunks makes them fit, they may be larger by this factor. In one chunk, memory outside the caches
// would take all of the data, and in place a copy of it too.
constexpr std::size_t largest_excess = 4;

std::size_t bytes_of(std::span<const oshen_box_t> boxes) {
  std::size_t all = 0;
  for (const auto& box : boxes) all += box.element * volume(box);
  return all;
}

}  // namespace

bool chunked_remap::dense_block::init(std::span<const oshen_box_t> boxes) {
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

std::size_t chunked_remap::dense_block::start_of(const oshen_box_t& box, int axis) const {
  return (box.offset - low) / stride[axis] % extent[axis];
}

std::uint64_t chunked_remap::possible(std::span<const oshen_box_t> in, std::span<const oshen_box_t> out) {
  if (in.empty() && out.empty()) return ~std::uint64_t{0};
  dense_block before;
  if (!before.init(in) || !out_.init(out)) return 0;
  if (before.low != out_.low || before.bytes != out_.bytes) return 0;
  if (bytes_of(in) != out_.bytes || bytes_of(out) != out_.bytes) return 0;  // the boxes have gaps
  axis_ = before.order[2];
  box_extent_ = out[0].extent[axis_];
  const auto is_equal_part = [this](const oshen_box_t& box) {
    return box.extent[axis_] == box_extent_ && out_.start_of(box, axis_) % box_extent_ == 0;
  };
  if (!std::all_of(out.begin(), out.end(), is_equal_part)) return 0;
  const std::size_t side = before.extent[axis_];
  const auto is_whole = [&](const oshen_box_t& box) { return box.extent[axis_] == side; };
  if (!std::all_of(in.begin(), in.end(), is_whole)) return 0;
  std::uint64_t fitting = out_.bytes <= limits.most ? 1 : 0, most_chunks = 0;
  for (std::size_t k = 2; k <= 64; k++) {
    if (side % k != 0 || box_extent_ % k != 0 || box_extent_ / k * out_.stride[axis_] < limits.least_block) continue;
    const std::uint64_t bit = std::uint64_t{1} << (k - 1);
    if (out_.bytes / k <= limits.most) fitting |= bit;
    if (out_.bytes / k <= largest_excess * limits.most) most_chunks = bit;
  }
  return fitting != 0 ? fitting : most_chunks;
}

void chunked_remap::split(std::size_t chunks) {
  chunks_ = chunks;
  if (chunks == 1 || out_.bytes == 0) return;  // finish() has nothing to move
  const std::size_t block = box_extent_ / chunks * out_.stride[axis_];
  blocks_.init(chunks, out_.bytes / chunks / block, block);
}

oshen_box_t chunked_remap::chunk_of(const oshen_box_t& box, std::size_t k) const {
  oshen_box_t chunk = box;
  chunk.extent[axis_] /= chunks_;
  chunk.offset += k * chunk.extent[axis_] * box.stride[axis_];
  return chunk;
}

oshen_box_t chunked_remap::landing_box(const oshen_box_t& box, std::size_t k) const {
  oshen_box_t landing = chunk_of(box, 0);
  landing.offset = out_.low + k * (out_.bytes / chunks_);
  for (int a = 0; a < 3; a++) {
    if (out_.stride[a] > out_.stride[axis_]) landing.stride[a] /= chunks_;
    const std::size_t start = out_.start_of(box, a);
    landing.offset += (a == axis_ ? start / chunks_ : start) * landing.stride[a];
  }
  return landing;
}

void chunked_remap::finish(std::byte* buffer, std::byte* spare) const { blocks_.move(buffer + out_.low, spare); }

}  // namespace oshen::exchange
