#include "fft/geometry/box.hpp"

#include <algorithm>

namespace oshen::fft {

std::size_t box::volume() const {
  if (empty()) return 0;
  return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) * static_cast<std::size_t>(size[2]);
}

std::size_t box::span() const {
  if (empty()) return 0;
  const strides3 step = strides();
  std::size_t last = 0;
  for (int a = 0; a < 3; a++) last += static_cast<std::size_t>(step[a] * (size[a] - 1));
  return last + 1;
}

strides3 box::strides() const {
  strides3 result{};
  std::ptrdiff_t step = 1;
  for (const int axis : order) {
    result[axis] = step;
    step *= room_along(axis);
  }
  return result;
}

std::ptrdiff_t box::offset(const axes3& point) const {
  const strides3 step = strides();
  std::ptrdiff_t result = 0;
  for (int a = 0; a < 3; a++) result += step[a] * (point[a] - low[a]);
  return result;
}

bool is_permutation(const axes3& order) {
  axes3 sorted = order;
  std::sort(sorted.begin(), sorted.end());
  return sorted == natural_order;
}

box overlap(const box& a, const box& b) {
  box result;
  result.order = a.order;
  for (int axis = 0; axis < 3; axis++) {
    result.low[axis] = std::max(a.low[axis], b.low[axis]);
    result.size[axis] = std::min(a.end(axis), b.end(axis)) - result.low[axis];
  }
  if (result.empty()) result.size = {};
  return result;
}

bool covers(std::span<const box> boxes, const axes3& extent) {
  const box whole{{}, extent};
  std::size_t points = 0;
  for (std::size_t i = 0; i < boxes.size(); i++) {
    const box& b = boxes[i];
    if (b.empty()) continue;
    if (overlap(whole, b).volume() != b.volume()) return false;
    points += b.volume();
    for (std::size_t j = 0; j < i; j++) {
      if (!overlap(b, boxes[j]).empty()) return false;
    }
  }
  return points == whole.volume();
}

bool spans(std::span<const box> boxes, int axis, const axes3& extent) {
  return std::all_of(boxes.begin(), boxes.end(), [&](const box& b) { return b.spans(axis, extent); });
}

bool same_points(std::span<const box> a, std::span<const box> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const box& x, const box& y) {
    return (x.empty() && y.empty()) || (x.low == y.low && x.size == y.size);
  });
}

bool same_places(std::span<const box> a, std::span<const box> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const box& x, const box& y) { return (x.empty() && y.empty()) || x == y; });
}

}  // namespace oshen::fft
