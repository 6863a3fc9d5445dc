// Splits an array into boxes for a grid of PEs. Arithmetic only.
#include <algorithm>
#include <limits>

#include "oshen/exchange.h"

namespace {

// The cells on the faces between the boxes of a grid. A grid with an empty box is worse than any other.
struct burden {
  bool empty;
  double surface;
  bool operator<(const burden& b) const { return empty != b.empty ? b.empty : surface < b.surface; }
};

burden burden_of(const int* extent, const int* dims) {
  burden sum{false, 0};
  for (int a = 0; a < 3; a++) {
    sum.empty = sum.empty || dims[a] > extent[a];
    sum.surface += static_cast<double>(dims[a] - 1) * extent[(a + 1) % 3] * extent[(a + 2) % 3];
  }
  return sum;
}

// Where a box begins along an axis.
int edge(int extent, int dims, int part) { return static_cast<int>(static_cast<long long>(extent) * part / dims); }

}  // namespace

oshen_status_t oshen_grid_dims(int n, const int extent[3], int dims[3]) {
  for (int a = 0; a < 3; a++)
    if (extent[a] < 1 || dims[a] < 0) return OSHEN_INVALID;
  if (n < 1) return OSHEN_INVALID;
  burden least{true, std::numeric_limits<double>::infinity()};
  int best[3] = {0, 0, 0};
  const auto free_or = [&](int axis, int parts) { return dims[axis] == 0 || dims[axis] == parts; };
  // Among equal grids, prefers to cut slow axes, so that contiguous elements stay together.
  for (int i = 1; i <= n; i++) {
    if (n % i != 0 || !free_or(0, i)) continue;
    for (int j = 1; j <= n / i; j++) {
      if (n / i % j != 0 || !free_or(1, j) || !free_or(2, n / i / j)) continue;
      const int now[3] = {i, j, n / i / j};
      const burden it = burden_of(extent, now);
      if (best[0] != 0 && !(it < least)) continue;
      least = it;
      std::copy_n(now, 3, best);
    }
  }
  if (best[0] == 0) return OSHEN_INVALID;  // the given dimensions do not divide n
  std::copy_n(best, 3, dims);
  return OSHEN_OK;
}

void oshen_grid_coords(const int dims[3], int member, int coords[3]) {
  for (int a = 0; a < 3; a++) {
    coords[a] = member % dims[a];
    member /= dims[a];
  }
}

int oshen_grid_member(const int dims[3], const int coords[3], unsigned periodic) {
  int at[3];
  for (int a = 0; a < 3; a++) {
    at[a] = coords[a];
    if ((periodic >> a & 1) != 0) at[a] = (at[a] % dims[a] + dims[a]) % dims[a];
    if (at[a] < 0 || at[a] >= dims[a]) return -1;
  }
  return at[0] + dims[0] * (at[1] + dims[1] * at[2]);
}

void oshen_grid_box(const int extent[3], const int dims[3], int member, int low[3], int size[3]) {
  int coords[3];
  oshen_grid_coords(dims, member, coords);
  for (int a = 0; a < 3; a++) {
    low[a] = edge(extent[a], dims[a], coords[a]);
    size[a] = edge(extent[a], dims[a], coords[a] + 1) - low[a];
  }
}
