// Runs one route: passes, and moves between them, in parts.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "pass.hpp"
#include "steps.hpp"
#include "transit.hpp"

namespace oshen::fft {

// Bytes between the fields of the caller's buffers.
struct distances {
  std::size_t in, out;
};

// The moves of a route for PE `me`, in order.
std::vector<move> moves_of(const route& way, int me, std::size_t real_bytes, const distances& user);

template <class T>
class engine {
 public:
  // Its moves are those of `through` from `first_move` on.
  engine(const route& way, int me, direction which, transit& through, int first_move, int fields,
         const distances& user, const tuning& how);

  std::size_t scratch_elements() const;
  void prepare(std::complex<T>* scratch);

  void start(const void* in, void* out, T scale);
  bool test();
  void wait();

  int passes() const;

 private:
  source_place source() const;
  void run_stage();
  void enter_next();

  transit& through_;
  std::vector<step> steps_;
  std::vector<int> move_of_;  // by step
  std::vector<pass<T>> passes_;
  int fields_;
  distances user_;
  bool input_apart_;
  std::size_t last_transform_ = 0;  // the stage whose pass scales
  std::vector<std::byte> input_copy_;
  std::size_t input_bytes_, output_bytes_;
  std::vector<place> places_;

  // The run under way.
  std::size_t stage_ = 0;
  bool moving_ = false;
  bool output_holds_ = false;  // the stage's data, not a work array
  const std::byte* in_ = nullptr;
  std::byte* out_ = nullptr;
  T scale_ = 1;
};

extern template class engine<double>;
extern template class engine<float>;

}  // namespace oshen::fft
