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
};

// Its moves for PE `me`, in order. at_home: this route and those it takes turns with end there.
std::vector<move> moves_of(const route_plan& it, int me, std::size_t real_bytes, bool at_home);

template <class T>
class engine {
 public:
  // Its moves are those of `through` from `first_move` on.
  engine(const route_plan& it, int me, direction which, transit& through, int first_move, int fields,
         const tuning& how);

  std::size_t scratch_elements() const;
  void prepare(std::complex<T>* scratch);

  void start(const void* in, void* out, T scale);
  bool test();
  void wait();

 private:
  void run_stage();
  void find_sources();
  void find_targets();
  array_view array_after(std::size_t stage, int pe) const;
  void offer_output();

  transit& through_;
  std::vector<step> steps_;
  std::vector<int> move_of_;  // by exchange: the last one, -1 if none yet
  std::vector<pass<T>> passes_;
  int me_;
  int fields_;
  direction which_;
  std::vector<distances> user_;
  bool input_apart_, shares_output_;
  std::size_t last_transform_ = 0;  // the stage whose pass scales
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

extern template class engine<double>;
extern template class engine<float>;

}  // namespace oshen::fft
