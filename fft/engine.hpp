// Runs one route: passes, and syncs between them, in parts.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "pass.hpp"
#include "steps.hpp"
#include "transit.hpp"

namespace oshen::fft {

// Bytes between the fields of the caller's buffers.
struct distances {
  std::size_t in, out;
};

// One direction: a route, and the arrays that its stages use.
struct route_plan {
  route way;
  std::vector<step> steps;
  std::vector<distances> user;  // by PE
  direction which = direction::forward;
  const char *call = "", *promise = "";  // by which it is run, and of what may lie in symmetric memory
};

// Its moves for PE `me`, in order. at_home: this route and those it takes turns with end there.
std::vector<move> moves_of(const route_plan& it, int me, std::size_t real_bytes, bool at_home);

// The passes of its stages.
template <class T>
std::vector<pass<T>> passes_of(const route_plan& it, int me, const tuning& how);
template <class T>
std::size_t scratch_elements(const std::vector<pass<T>>& passes);
// Of the factors between the two transforms of a matrix.
template <class T>
std::size_t table_bytes(const std::vector<pass<T>>& passes);

template <class T>
class engine {
 public:
  // Its moves are those of `through` from `first_move` on.
  engine(const route_plan& it, int me, transit& through, int first_move, int fields, const tuning& how);

  std::size_t scratch_elements() const { return fft::scratch_elements(passes_); }
  std::size_t table_bytes() const { return fft::table_bytes(passes_); }
  // Of the stage that turns.
  void multiply_by(const std::byte* factors);
  void prepare(std::complex<T>* scratch);

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

  static constexpr std::size_t before_first = ~std::size_t{0};  // a stage

  transit& through_;
  std::vector<step> steps_;
  std::vector<int> move_of_;  // by exchange: the last one, -1 if none yet
  std::vector<pass<T>> passes_;
  int me_;
  int fields_;
  const char *call_, *promise_;
  std::vector<distances> user_;
  bool input_apart_, shares_output_;
  std::size_t last_transform_ = 0;  // the stage whose pass scales
  std::size_t turning_ = 0;         // that of a convolution which turns
  std::vector<std::byte> input_copy_;
  std::size_t input_bytes_, output_bytes_;
  std::vector<const_array_view> sources_;
  std::vector<array_view> targets_;

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
