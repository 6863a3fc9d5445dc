// Boxes of a global three-dimensional array, and their layout in memory. Arithmetic only.
//
// Axes 0, 1, 2 are always those of the global array. `order` lists the axes of a box from the fastest to the slowest. A
// box is stored densely, or within a larger array of `room` elements along each axis.
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

namespace oshen::fft {

// One value for each axis.
template <class T>
struct per_axis {
  T value[3];

  template <class Axis>
  T& operator[](Axis axis) {
    return value[axis];
  }
  template <class Axis>
  const T& operator[](Axis axis) const {
    return value[axis];
  }
  T* begin() { return value; }
  T* end() { return value + 3; }
  const T* begin() const { return value; }
  const T* end() const { return value + 3; }
  auto operator<=>(const per_axis&) const = default;
};

using axes3 = per_axis<int>;
using strides3 = per_axis<std::ptrdiff_t>;  // in elements, by axis

inline constexpr axes3 natural_order{0, 1, 2};

struct box {
  axes3 low{};
  axes3 size{};
  axes3 order = natural_order;
  axes3 room{};  // 0: the size

  bool operator==(const box&) const = default;
  bool empty() const { return size[0] <= 0 || size[1] <= 0 || size[2] <= 0; }
  int end(int axis) const { return low[axis] + size[axis]; }
  std::size_t volume() const;
  // Elements from the first to the last in memory; more than the volume if the array has room between them.
  std::size_t span() const;
  // Elements along an axis of the array that holds the box.
  int room_along(int axis) const { return room[axis] == 0 ? size[axis] : room[axis]; }
  strides3 strides() const;
  // Offset of a point given in global indices.
  std::ptrdiff_t offset(const axes3& point) const;
  bool spans(int axis, const axes3& extent) const { return empty() || (low[axis] == 0 && size[axis] == extent[axis]); }
};

// One box per PE.
using layout = std::vector<box>;

bool is_permutation(const axes3& order);

// The common points, in the order of `a`. Without common points the size is 0 along all axes.
box overlap(const box& a, const box& b);

// Whether each point of the global array belongs to exactly one box.
bool covers(std::span<const box> boxes, const axes3& extent);

// Whether every box is empty or contains the whole axis.
bool spans(std::span<const box> boxes, int axis, const axes3& extent);

// Whether every PE has the same points, in any order.
bool same_points(std::span<const box> a, std::span<const box> b);

// Whether every PE has the same points in the same order.
bool same_places(std::span<const box> a, std::span<const box> b);

}  // namespace oshen::fft
