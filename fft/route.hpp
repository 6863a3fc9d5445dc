// The way of an array through a transform: a chain of layouts, in each of which some axes are whole
// and are transformed there. Candidates are enumerated and weighed; pure arithmetic.
//
// The first layout is the caller's input, the last the caller's output; the exchange between two
// neighbours moves every point from its place in one to its place in the next. With bricks along z
// on two PEs, for example: [in: x, y] -> [z, cut along y] -> [out].
#pragma once

#include <string>
#include <vector>

#include "box.hpp"

namespace oshen::fft {

struct stage {
  layout before;             // as the data arrives
  layout after;              // the same boxes, but a real axis has become complex, or the reverse
  std::vector<int> axes;     // transformed here, in this order
  bool real_before = false;  // elements are real numbers, not complex ones
  bool real_after = false;
  bool at_once = false;  // by one plan of FFTW for the whole box, not tile by tile
};

enum class decomposition { any, slabs, pencils, bricks };

struct problem {
  axes3 extent{};     // of the input of a forward transform, in elements
  bool real = false;  // real input, complex output with extent[0] / 2 + 1 elements along axis 0
  layout in, out;
  std::size_t complex_bytes = 16;
  int fields = 1;

  axes3 out_extent() const {
    return real ? axes3{extent[0] / 2 + 1, extent[1], extent[2]} : extent;
  }
};

struct route {
  decomposition kind = decomposition::any;
  std::vector<stage> stages;  // at least one; exchange i lies between stages i and i + 1
  double cost = 0;            // seconds, as estimated

  int exchanges() const { return static_cast<int>(stages.size()) - 1; }
  std::string text() const;  // for people: "in[xy] > 1x2x1[z] > out"
};

// Nothing moves between PEs.
bool is_local(const stage& from, const stage& to);

// The same way back, for the inverse transform.
route reversed(const route& forward);

// What the machine is taken to be able to do; only the ratios matter.
struct machine {
  double pass_per_byte = 0.25e-9;  // reading and writing a byte of a large array
  double move_per_byte = 0.10e-9;  // more, when another PE's cache is to read it
  double message = 0.5e-6;
  double meeting = 1.5e-6;     // waiting for the partners of an exchange
  double run_overhead = 6e-9;  // each contiguous run of a copy
  double cache_bytes = 2 << 20;
};

double cost(const route& way, const problem& what, const machine& on);

// All that make sense, of one kind or of any, cheapest first; never empty.
std::vector<route> candidates(const problem& what, decomposition kind, const machine& on);

}  // namespace oshen::fft
