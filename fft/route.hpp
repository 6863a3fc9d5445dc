// The way of an array through a transform: a chain of layouts, in each of which some axes are whole
// and are transformed there. Candidates are enumerated and weighed; pure arithmetic.
//
// The first layout is the caller's input, the last the caller's output; the exchange between two
// neighbours brings every point from the PE that has it in one to the PE that has it in the next.
// With bricks along z on two PEs, for example: [in: x, y] -> [z, cut along y] -> [out].
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
  bool direct = true;         // PEs may read and write each other's work arrays
  bool symmetric_in = false;  // the caller's buffers for the boxes `in`, by promise
  bool symmetric_out = false;

  axes3 out_extent() const {
    return real ? axes3{extent[0] / 2 + 1, extent[1], extent[2]} : extent;
  }
};

struct route {
  decomposition kind = decomposition::any;
  std::vector<stage> stages;  // at least one; exchange i lies between stages i and i + 1
  double cost = 0;            // seconds, as estimated
  bool pull = false;  // stages gather their points from where the last one found or left them

  int exchanges() const { return static_cast<int>(stages.size()) - 1; }
  // Results stay at exchange e until the next stage gathers them. A last stage that only copies is
  // better served by the one before.
  bool keeps(std::size_t e) const {
    return pull && !(e + 2 == stages.size() && stages.back().axes.empty());
  }
  std::string text() const;  // for people: "in[xy] < work[z] > out", < where a stage gathers
};

// Nothing goes from one PE to another.
bool is_local(const stage& from, const stage& to);

// The same way back, for the inverse transform.
route reversed(const route& forward);

struct machine;

// All that make sense, of one kind or of any, cheapest first; never empty.
std::vector<route> candidates(const problem& what, decomposition kind, const machine& on);

}  // namespace oshen::fft
