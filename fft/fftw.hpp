// Transforms by FFTW: of all lines of a tile, one axis after the other, and of a whole box at once.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

#include "box.hpp"
#include "oshen/fft.h"
#include "route.hpp"

namespace oshen::fft {

enum class direction { forward, backward };

// A tile in memory: where its elements lie, by axis. They are complex, or real if they are so before
// and after. Real elements that become complex, or were, lie in the same rows as those, axis 0
// contiguous: twice the strides of the other axes, counted in real numbers.
struct tile_memory {
  axes3 size{};  // in elements
  strides3 stride{};
  std::size_t elements = 0;  // with padding
};

// `order`: axes from the fastest.
tile_memory lay_out_tile(const axes3& size, const axes3& order, std::size_t element_bytes);

// What the transforms of a tile are about.
struct tile_work {
  std::vector<int> axes;  // in this order
  along3 along{};
  direction way = direction::forward;
  bool real = false;  // the tile has real elements
  // Elements along axis 0 before it becomes complex (forward) or after it became real (backward); 0: neither.
  int real_size = 0;
};

// Where the lines of a tile lie outside it, if the first or the last of its transforms reads or
// writes there and saves a copy: strides by axis, in elements (real ones on a real side).
struct outside {
  bool reads = false, writes = false;
  strides3 source{}, target{};
};

// The plans of one shape of tile. T: float or double.
template <class T>
class tile_transform {
 public:
  // Planning overwrites scratch.
  tile_transform(const tile_memory& memory, const tile_work& work, const outside& ends, oshen_fft_effort_t effort,
                 std::complex<T>* scratch);
  ~tile_transform();
  tile_transform(const tile_transform&) = delete;
  tile_transform& operator=(const tile_transform&) = delete;

  // Of its first transform's source and its last one's target: whether FFTW's plans may be used
  // there. Others are copied.
  static bool aligned(const void* memory);
  // `source` and `target` count only where `ends` said so; elsewhere data is in scratch.
  void run(const std::byte* source, std::byte* target) const;

 private:
  struct plans;
  std::unique_ptr<plans> plans_;
};

// A complex transform of a box along some of its axes by one plan of FFTW, from array to array.
template <class T>
class box_transform {
 public:
  // `before` and `after` hold the same points, perhaps in another order in memory. Planning with
  // MEASURE touches as much memory again as both arrays.
  box_transform(const box& before, const box& after, const std::vector<int>& axes, direction way,
                oshen_fft_effort_t effort);
  ~box_transform();
  box_transform(const box_transform&) = delete;
  box_transform& operator=(const box_transform&) = delete;

  // FFTW has a plan from an array to itself: always where both boxes lie alike in memory.
  bool works_in_place() const;
  // `target` is `source` only if it works in place; else they are apart, and the source stays as it is.
  void run(const std::byte* source, std::byte* target) const;

 private:
  struct plans;
  std::unique_ptr<plans> plans_;
};

extern template class tile_transform<double>;
extern template class tile_transform<float>;
extern template class box_transform<double>;
extern template class box_transform<float>;

}  // namespace oshen::fft
