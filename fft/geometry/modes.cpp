#include "fft/geometry/modes.hpp"

#include <algorithm>

namespace oshen::fft {

bool high_modes_in_middle(oshen_fft_along_t along, bool halved) {
  return !halved && (along == OSHEN_FFT_FOURIER || along == OSHEN_FFT_HARTLEY || along == OSHEN_FFT_R2HC);
}

kept_modes lowest_modes(oshen_fft_along_t along, bool halved, int all, int count) {
  if (count == 0 || count == all) return {};
  const int high = high_modes_in_middle(along, halved) ? count / 2 : 0;
  return {all, count - high, high};
}

bool drops(const kept3& kept) {
  return std::any_of(kept.begin(), kept.end(), [](const kept_modes& k) { return k.drops(); });
}

std::vector<box> contiguous_parts(const box& points, const kept3& kept) {
  std::vector<box> parts{points};
  for (int a = 0; a < 3; a++) {
    const int edge = kept[a].low;
    if (!kept[a].drops() || points.low[a] >= edge || points.end(a) <= edge) continue;
    for (std::size_t i = 0, n = parts.size(); i < n; i++) {
      box high = parts[i];
      high.low[a] = edge;
      high.size[a] = parts[i].end(a) - edge;
      parts[i].size[a] = edge - parts[i].low[a];
      parts.push_back(high);
    }
  }
  return parts;
}

axes3 position_of(const axes3& point, const kept3& kept) {
  return {kept[0].position(point[0]), kept[1].position(point[1]), kept[2].position(point[2])};
}

std::vector<box> dropped_parts(const box& tile, const kept3& kept) {
  std::vector<box> parts;
  for (int a = 0; a < 3; a++) {
    if (!kept[a].drops()) continue;
    box part = tile;
    part.low[a] = kept[a].low;
    part.size[a] = kept[a].all - kept[a].count();
    parts.push_back(part);
  }
  return parts;
}

}  // namespace oshen::fft
