// FFTW transforms: of all lines of a tile, axis by axis, and of a whole box at once.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

#include "fft/geometry/box.hpp"
#include "fft/geometry/route.hpp"
#include "oshen/fft.h"

namespace oshen::fft {

enum class direction { forward, backward };

// The layout of a tile in memory. Its elements are complex, or real if they are real before and after. Real elements
// that become or were complex share the rows of the complex ones, with axis 0 contiguous: the strides of the other
// axes are doubled when counted in real numbers.
struct tile_memory {
  axes3 size{};  // in elements
  strides3 stride{};
  std::size_t elements = 0;  // with padding
};

// `order` lists the axes from the fastest.
tile_memory lay_out_tile(const axes3& size, const axes3& order, std::size_t element_bytes);

// The transforms of a tile.
struct tile_work {
  std::vector<int> axes;  // in order of execution
  along3 along{};
  direction dir = direction::forward;
  bool real = false;  // the tile has real elements
  // Elements along axis 0 before it becomes complex (forward) or after it became real (backward); 0: neither.
  int real_size = 0;
  // Modes that are dropped after forward transforms, or zero before backward ones: lines along other axes that hold
  // nothing else are left out.
  kept3 kept{};
};

// The arrays outside the tile that the first transform reads, or the last one writes, to save a copy. Strides by axis,
// in elements (real elements on a real side).
struct outside {
  bool reads = false, writes = false;
  strides3 source{}, target{};
};

// The FFTW plans of all tiles of one size. T: float or double.
template <class T>
class tile_transform {
 public:
  // Planning overwrites scratch.
  tile_transform(const tile_memory& memory, const tile_work& work, const outside& ends, oshen_fft_effort_t effort,
                 std::complex<T>* scratch);
  ~tile_transform();
  tile_transform(const tile_transform&) = delete;
  tile_transform& operator=(const tile_transform&) = delete;

  // Whether FFTW's plans may use this memory as the first source or the last target. Otherwise the data must be
  // copied.
  static bool aligned(const void* memory);
  // `source` and `target` are used only if `ends` says so; otherwise the data is in scratch.
  void run(const std::byte* source, std::byte* target) const;

 private:
  struct plans;
  std::unique_ptr<plans> plans_;
};

// A complex transform of a box along some of its axes by one FFTW plan, from array to array.
template <class T>
class box_transform {
 public:
  // `before` and `after` hold the same points, perhaps in another order. Planning with OSHEN_FFT_MEASURE touches as
  // much additional memory as both arrays.
  box_transform(const box& before, const box& after, const std::vector<int>& axes, direction dir,
                oshen_fft_effort_t effort);
  ~box_transform();
  box_transform(const box_transform&) = delete;
  box_transform& operator=(const box_transform&) = delete;

  // Whether FFTW has a plan from an array to itself: always, if both boxes have the same layout.
  bool works_in_place() const;
  // `target` may be `source` only if works_in_place(). Otherwise they must not overlap, and the source is preserved.
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
