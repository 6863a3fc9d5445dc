// Runs one route: its passes and the syncs between them, in parts.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fft/geometry/steps.hpp"
#include "fft/moves/move_backend.hpp"
#include "fft/passes/pass.hpp"

namespace oshen::fft {

// Bytes between the fields of the caller's buffers.
struct distances {
  std::size_t in, out;
};

// One direction of a transform: a route, and the arrays that its stages use.
struct route_plan {
  route chain;
  std::vector<step> steps;
  std::vector<distances> field_distances;  // by PE
  direction which = direction::forward;
  const char *call = "", *promise = "";  // the API call and the buffer promise, for messages
};

// The moves of a plan for PE `me`, in order. ends_local: so do all routes that use the same work arrays.
std::vector<move> moves_of(const route_plan& plan, int me, std::size_t real_bytes, bool ends_local);

// The passes of a plan's stages.
template <class T>
std::vector<pass<T>> passes_of(const route_plan& plan, int me, const tuning& options);
template <class T>
std::size_t scratch_elements(const std::vector<pass<T>>& passes);
// Bytes of the factors between the two transforms of a matrix.
template <class T>
std::size_t table_bytes(const std::vector<pass<T>>& passes);

template <class T>
class engine {
 public:
  // The engine uses the moves of `backend` from `first_move` on.
  engine(const route_plan& plan, int me, move_backend& backend, int first_move, int fields, const tuning& options);

  std::size_t scratch_elements() const { return fft::scratch_elements(passes_); }
  std::size_t table_bytes() const { return fft::table_bytes(passes_); }
  // Sets the factors of the stage that turns.
  void multiply_by(const std::byte* factors);
  void prepare(std::complex<T>* scratch);

  // Of all runs, on this PE.
  struct times {
    std::uint64_t runs = 0;
    double transform = 0, copy = 0;  // seconds of passes
  };
  const times& spent() const { return spent_; }

  void start(const void* in, void* out, T scale);
  bool test();
  void wait();

 private:
  void run_stage();
  void find_sources();
  void find_targets();
  void meet(std::size_t at);
  int move_now() const { return stage_ < move_of_.size() ? move_of_[stage_] : -1; }
  array_view array_after(std::size_t stage, int pe) const;
  void offer_output();

  static constexpr std::size_t before_first = ~std::size_t{0};  // a value of stage_

  move_backend& backend_;
  std::vector<step> steps_;
  std::vector<int> move_of_;  // by exchange: the latest move, -1 before the first
  std::vector<pass<T>> passes_;
  int me_;
  int fields_;
  const char *call_, *promise_;
  std::vector<distances> field_distances_;
  bool input_apart_, shares_output_;
  std::size_t last_transform_ = 0;  // the stage whose pass scales
  std::size_t turning_ = 0;         // the stage of a convolution that turns
  std::vector<std::byte> input_copy_;
  std::size_t input_bytes_, output_bytes_;
  std::vector<const_array_view> sources_;
  std::vector<array_view> targets_;

  times spent_;

  // The run under way.
  std::size_t stage_ = 0;
  bool sync_ = false;
  const std::byte* in_ = nullptr;
  std::byte* out_ = nullptr;
  T scale_ = 1;
};

extern template std::vector<pass<double>> passes_of(const route_plan&, int, const tuning&);
extern template std::vector<pass<float>> passes_of(const route_plan&, int, const tuning&);
extern template std::size_t scratch_elements(const std::vector<pass<double>>&);
extern template std::size_t scratch_elements(const std::vector<pass<float>>&);
extern template std::size_t table_bytes(const std::vector<pass<double>>&);
extern template std::size_t table_bytes(const std::vector<pass<float>>&);
extern template class engine<double>;
extern template class engine<float>;

}  // namespace oshen::fft
