// Random arrays cut at random: equal on all PEs for equal seeds.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "oshen/fft.h"

struct random_source {
  std::mt19937 engine;
  explicit random_source(unsigned seed) : engine(seed) {}
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
  bool once_in(int n) { return below(n) == 0; }
};

using boxes = std::vector<oshen_fft_box_t>;

// Cuts in two at random until every PE has a part; some parts are empty.
inline void cut_at_random(random_source& random, oshen_fft_box_t part, boxes& left, int pes) {
  if (pes == 1) {
    left.push_back(part);
    return;
  }
  const int axis = random.below(3), first = 1 + random.below(pes - 1);
  oshen_fft_box_t low = part, high = part;
  low.size[axis] = random.below(part.size[axis] + 1);
  high.low[axis] += low.size[axis];
  high.size[axis] -= low.size[axis];
  cut_at_random(random, low, left, first);
  cut_at_random(random, high, left, pes - first);
}

inline void cut_along(oshen_fft_box_t whole, int axis, int pes, boxes& parts) {
  for (int r = 0; r < pes; r++) {
    oshen_fft_box_t part = whole;
    part.low[axis] = whole.size[axis] * r / pes;
    part.size[axis] = whole.size[axis] * (r + 1) / pes - part.low[axis];
    parts.push_back(part);
  }
}

inline void give_to_one(oshen_fft_box_t whole, int owner, int pes, boxes& parts) {
  oshen_fft_box_t nothing{};
  nothing.size[1] = -1;  // a negative size is empty too
  parts.assign(static_cast<std::size_t>(pes), nothing);
  parts[static_cast<std::size_t>(owner)] = whole;
}

inline boxes random_boxes(random_source& random, const int (&extent)[3], int pes) {
  oshen_fft_box_t whole{};
  std::copy(extent, extent + 3, whole.size);
  boxes parts;
  const int how = random.below(6);
  if (how < 3) {
    cut_along(whole, how, pes, parts);
  } else if (how == 3) {
    give_to_one(whole, random.below(pes), pes, parts);
  } else {
    cut_at_random(random, whole, parts, pes);
  }
  std::shuffle(parts.begin(), parts.end(), random.engine);
  for (auto& part : parts) {
    if (random.once_in(2)) continue;
    const int first = random.below(3), step = 1 + random.below(2);
    for (int i = 0; i < 3; i++) part.order[i] = (first + i * step) % 3;
  }
  return parts;
}

// Whether a strategy may be refused because it needs promises that transforms and remaps do not give.
inline bool may_be_refused(const char* strategy) {
  return strategy != nullptr && std::strncmp(strategy, "direct", 6) == 0;
}

inline std::size_t volume(const oshen_fft_box_t& box) {
  std::size_t points = 1;
  for (const int size : box.size) points *= static_cast<std::size_t>(std::max(size, 0));
  return points;
}

using sizes3 = std::size_t[3];
inline constexpr sizes3 dense = {0, 0, 0};

// Elements along an axis of the array in memory that holds the box.
inline std::size_t embedded_size(const oshen_fft_box_t& box, const sizes3& embed, int axis) {
  return embed[axis] != 0 ? embed[axis] : static_cast<std::size_t>(box.size[axis]);
}

inline std::size_t embedded_volume(const oshen_fft_box_t& box, const sizes3& embed) {
  if (volume(box) == 0) return 0;
  return embedded_size(box, embed, 0) * embedded_size(box, embed, 1) * embedded_size(box, embed, 2);
}

// Calls visit(offset in the array that holds the box, index in a dense global array of these extents) for all points.
template <class Visit>
void for_each_point(const oshen_fft_box_t& box, const int (&extent)[3], const sizes3& embed, Visit visit) {
  if (volume(box) == 0) return;
  int order[3] = {box.order[0], box.order[1], box.order[2]};
  if (order[0] == order[1]) order[0] = 0, order[1] = 1, order[2] = 2;
  const std::size_t row = embedded_size(box, embed, order[0]), plane = row * embedded_size(box, embed, order[1]);
  int at[3];
  for (at[order[2]] = 0; at[order[2]] < box.size[order[2]]; at[order[2]]++) {
    for (at[order[1]] = 0; at[order[1]] < box.size[order[1]]; at[order[1]]++) {
      for (at[order[0]] = 0; at[order[0]] < box.size[order[0]]; at[order[0]]++) {
        const int x = box.low[0] + at[0], y = box.low[1] + at[1], z = box.low[2] + at[2];
        const std::size_t i[3] = {static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                                  static_cast<std::size_t>(at[2])};
        visit(i[order[0]] + row * i[order[1]] + plane * i[order[2]],
              static_cast<std::size_t>((z * extent[1] + y) * extent[0] + x));
      }
    }
  }
}
