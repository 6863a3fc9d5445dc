// One pass over this PE's part of the array: tile by tile, gather, transform, write each part to
// the array in which it is to lie. A tile is read whole before it is written, so that both may be
// the same arrays.
#pragma once

#include <complex>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "copy.hpp"
#include "fftw.hpp"
#include "steps.hpp"
#include "twiddle.hpp"

namespace oshen::fft {

// How passes are made: tunable, without influence on results beyond rounding.
struct tuning {
  std::size_t tile_bytes = 128 << 10;
  oshen_fft_effort_t effort = OSHEN_FFT_ESTIMATE;  // of FFTW's planner
  // Transforms read from and write to the arrays themselves wherever they can, strided or not; else
  // only contiguous lines are read so.
  bool fuse = false;
  // What is not written where it was read goes past the caches, for arrays that these do not hold.
  bool stream = false;
};

// Where one field of an array begins, and how many bytes behind it the next field does.
struct array_view {
  std::byte* base = nullptr;
  std::size_t distance = 0;
};
struct const_array_view {
  const std::byte* base = nullptr;
  std::size_t distance = 0;
};

template <class T>
class pass {
 public:
  // Sources cover the stage's boxes of this PE, unless it only copies; so do targets.
  pass(const stage& stage, int me, direction way, std::vector<piece> sources,
       std::vector<piece> targets, const tuning& how);

  // PEs whose arrays it reads and writes, in the order in which run() wants their places.
  std::span<const piece> sources() const { return sources_; }
  std::span<const piece> targets() const { return targets_; }
  std::size_t scratch_elements() const;  // complex; needed by prepare and run
  std::size_t table_bytes() const { return twiddles_ == 0 ? 0 : twiddles<T>::bytes(twiddles_); }
  bool copies_only() const { return axes_.empty(); }
  // Source and target may be one array even if the order of the axes changes. After prepare().
  bool works_in_place() const { return whole_ != nullptr && whole_->works_in_place(); }

  // Makes FFTW's plans for this scratch memory.
  void prepare(std::complex<T>* scratch);
  // Of a stage that turns, before run(): what lies between the transforms there and back is multiplied by these, which
  // lie as factors_box says.
  void multiply_by(const std::byte* factors) { factors_ = factors; }
  // All results are multiplied by scale, unless copies_only().
  void run(std::span<const const_array_view> from, std::span<const array_view> to, int fields,
           T scale) const;

 private:
  struct shape {
    tile_memory memory;
    std::unique_ptr<tile_transform<T>> inside;  // reads and writes scratch only
    std::unique_ptr<tile_transform<T>> fused;   // as fused_ says
    std::unique_ptr<tile_transform<T>> home;    // back, in scratch
  };

  // One copy between a piece of an array and the tile in scratch; between two arrays if the pass
  // only copies.
  struct part_copy {
    std::size_t source = 0, target = 0;  // numbers of pieces, as far as they count
    std::ptrdiff_t from = 0, to = 0;     // bytes from the beginning of the array or of scratch
    ready_copy how;
  };
  // All that is to be done with a tile, made ready.
  struct task {
    const shape* with = nullptr;
    std::size_t source = 0, target = 0;        // pieces that fused transforms read and write,
    std::ptrdiff_t read_at = 0, write_at = 0;  // and where
    std::ptrdiff_t factors_at = 0;             // its first factor, in elements
    box tile;
    std::vector<part_copy> reads, writes;
  };

  outside choose_fusion() const;
  shape make_shape(const box& tile) const;
  task make_task(const box& tile) const;
  std::vector<part_copy> reads_of(const box& tile, const tile_memory& memory) const;
  std::vector<part_copy> writes_of(const box& results, const tile_memory& memory) const;
  std::vector<part_copy> copies_between() const;
  std::vector<int> sources_of_targets() const;
  void put(const part_copy& what, const std::byte* from, std::span<const const_array_view> sources,
           std::span<const array_view> targets, int field) const;
  void run_task(const task& now, std::span<const const_array_view> from, std::span<const array_view> to,
                int field, T scale) const;
  void run_at_once(const std::byte* from, std::byte* to, T scale) const;
  void multiply(const tile_memory& memory, T scale) const;
  void multiply_by_factors(const task& now) const;
  bool goes(direction there) const { return turns_ || way_ == there; }
  box after(const box& tile) const;
  strides3 strides_in(const tile_memory& memory, bool packed) const;

  box before_, after_;
  box factors_box_;  // of a stage that turns
  const std::byte* factors_ = nullptr;
  std::vector<int> axes_;
  along3 along_;
  direction way_;
  bool turns_;     // goes there, multiplies, and back
  bool real_;      // elements are so before, after and meanwhile
  int real_size_;  // along axis 0, when that becomes complex or real here; else 0
  std::size_t before_bytes_, after_bytes_;  // of an element
  std::size_t tile_bytes_;                  // of one in a tile
  bool at_once_;
  int twiddles_;
  tuning how_;
  std::vector<piece> sources_, targets_;
  std::vector<int> source_of_;  // by target: the source that is the same PE's, -1 if none
  std::vector<box> tiles_;
  outside fused_;
  std::unique_ptr<box_transform<T>> whole_;
  std::unique_ptr<twiddles<T>> roots_;
  std::map<axes3, shape> shapes_;  // by size of tile
  std::vector<task> tasks_;        // by tile
  std::vector<part_copy> copies_;  // if nothing is transformed
  std::complex<T>* scratch_ = nullptr;
};

// Where a PE keeps the factors of a stage that turns: the box of the spectrum in the order of the stage's tiles.
box factors_box(const stage& turning, int pe);

extern template class pass<double>;
extern template class pass<float>;

}  // namespace oshen::fft
