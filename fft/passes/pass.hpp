// One pass over this PE's part of the array. For each tile it gathers the data, transforms it, and writes each chunk
// to its array. A tile is read completely before it is written, so source and target may be the same arrays.
#pragma once

#include <complex>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "fft/geometry/steps.hpp"
#include "fft/passes/copy.hpp"
#include "fft/passes/fftw.hpp"
#include "fft/passes/twiddle.hpp"

namespace oshen::fft {

// Options of passes. They affect speed, and results only by rounding.
struct tuning {
  std::size_t tile_bytes = 128 << 10;
  oshen_fft_effort_t effort = OSHEN_FFT_ESTIMATE;  // of FFTW's planner
  // FFTW reads from and writes to the arrays directly whenever possible, with any strides. Otherwise it does so only
  // with contiguous lines.
  bool fuse = false;
  // Results that are not written where they were read are streamed, for arrays that exceed the caches.
  bool stream = false;
};

// The start of one field of an array, and the distance in bytes to the next field.
struct array_view {
  std::byte* base = nullptr;
  std::size_t distance = 0;
};
struct const_array_view {
  const std::byte* base = nullptr;
  std::size_t distance = 0;
};

// A stage as one PE executes it.
struct local_stage {
  box before, after;
  box factors;  // of a stage that turns
  std::vector<int> axes;
  along3 along;
  kept3 kept;
  bool drops;
  bool turns;                             // transforms, multiplies by the factors, and transforms back
  bool real;                              // elements are real throughout
  int real_size;                          // real elements along axis 0 if that becomes complex or real here; else 0
  std::size_t before_bytes, after_bytes;  // of an element
  std::size_t tile_bytes;                 // of an element in a tile
  bool at_once;
  int twiddles;

  // `real_bytes`: of a real element.
  local_stage(const stage& whole, int me, std::size_t real_bytes);
};

template <class T>
class pass {
 public:
  // The sources cover the boxes of the stage on this PE, unless the pass only copies; the targets always do.
  pass(const stage& stage, int me, direction dir, std::vector<chunk> sources, std::vector<chunk> targets,
       const tuning& options);

  // The chunks that the pass reads and writes, in the order of the arguments of run().
  std::span<const chunk> sources() const { return sources_; }
  std::span<const chunk> targets() const { return targets_; }
  std::size_t scratch_elements() const;  // complex elements of scratch memory for prepare() and run()
  std::size_t table_bytes() const { return stage_.twiddles == 0 ? 0 : twiddles<T>::bytes(stage_.twiddles); }
  bool copies_only() const { return stage_.axes.empty(); }
  // Whether source and target may be the same array even if the order of the axes changes. Call it after prepare().
  bool works_in_place() const { return whole_ != nullptr && whole_->works_in_place(); }

  // Makes FFTW's plans for this scratch memory.
  void prepare(std::complex<T>* scratch);
  // For a stage that turns, before run(): sets the factors by which the data between forward and inverse transform is
  // multiplied, in the layout of factors_box().
  void multiply_by(const std::byte* factors) { factors_ = factors; }
  // Multiplies all results by `scale`, unless copies_only().
  void run(std::span<const const_array_view> from, std::span<const array_view> to, int fields, T scale) const;

 private:
  struct tile_plan {
    tile_memory memory;
    std::vector<box> dropped;                       // parts of the tile that are zero in a spectrum
    std::unique_ptr<tile_transform<T>> in_scratch;  // reads and writes scratch only
    std::unique_ptr<tile_transform<T>> fused;       // reads or writes arrays directly, as fused_ says
    std::unique_ptr<tile_transform<T>> inverse;     // the inverse transform, in scratch
  };

  // A copy between a chunk of an array and the tile in scratch, or between two arrays if the pass only copies.
  struct chunk_copy {
    std::size_t source = 0, target = 0;  // indices of chunks
    std::ptrdiff_t from = 0, to = 0;     // bytes from the start of the array or of scratch
    prepared_copy copy;
  };
  // All work on one tile, prepared.
  struct tile_pass {
    const tile_plan* plan = nullptr;
    std::size_t source = 0, target = 0;                   // chunks that fused transforms read and write
    std::ptrdiff_t source_offset = 0, target_offset = 0;  // offsets in their arrays, in bytes
    box tile;
    std::vector<box> factors;  // of a stage that turns: the parts of the spectrum that the tile holds
    std::vector<chunk_copy> reads, writes;
  };

  outside choose_fusion() const;
  tile_plan make_tile_plan(const box& tile) const;
  tile_pass make_tile_pass(const box& tile) const;
  std::vector<chunk_copy> reads_of(const box& tile, const tile_memory& memory) const;
  std::vector<chunk_copy> writes_of(const box& results, const tile_memory& memory) const;
  std::vector<chunk_copy> copies_between() const;
  std::vector<int> sources_of_targets() const;
  void put(const chunk_copy& moved, const std::byte* from, std::span<const const_array_view> sources,
           std::span<const array_view> targets, int field) const;
  void run_tile_pass(const tile_pass& now, std::span<const const_array_view> from, std::span<const array_view> to,
                     int field, T scale) const;
  void run_at_once(const std::byte* from, std::byte* to, T scale) const;
  void multiply(const tile_memory& memory, T scale) const;
  void clear_dropped(const tile_plan& plan) const;
  void multiply_by_factors(const tile_pass& now) const;
  void multiply_part(const tile_pass& now, const box& part) const;
  // Whether the pass reads, or writes, a spectrum without its dropped modes.
  bool reads_kept() const { return stage_.drops && !stage_.turns && dir_ == direction::backward; }
  bool writes_kept() const { return stage_.drops && !stage_.turns && dir_ == direction::forward; }
  bool goes_through(direction there) const { return stage_.turns || dir_ == there; }
  box after(const box& tile) const;
  strides3 strides_in(const tile_memory& memory, bool packed) const;

  local_stage stage_;
  direction dir_;
  const std::byte* factors_ = nullptr;
  tuning options_;
  std::vector<chunk> sources_, targets_;
  std::vector<int> source_of_;  // by target: the source on the same PE, -1 if none
  std::vector<box> tiles_;
  outside fused_;
  std::unique_ptr<box_transform<T>> whole_;
  std::unique_ptr<twiddles<T>> roots_;
  std::map<axes3, tile_plan> tile_plans_;  // by size of tile
  std::vector<tile_pass> tile_passes_;     // by tile
  std::vector<chunk_copy> copies_;         // if nothing is transformed
  std::complex<T>* scratch_ = nullptr;
};

// The layout of the factors of a stage that turns: the box of the spectrum in the order of the stage's tiles.
box factors_box(const stage& turning, int pe);

extern template class pass<double>;
extern template class pass<float>;

}  // namespace oshen::fft
