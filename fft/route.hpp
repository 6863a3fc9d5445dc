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
#include "oshen/fft.h"

namespace oshen::fft {

using along3 = per_axis<oshen_fft_along_t>;

struct stage {
  layout before;             // as the data arrives
  layout after;              // the same boxes, but a real axis has become complex, or the reverse
  std::vector<int> axes;     // transformed here, in this order
  along3 along{};            // by what, forward
  bool real_before = false;  // elements are real numbers, not complex ones
  bool real_after = false;
  bool at_once = false;  // by one plan of FFTW for the whole box, not tile by tile
  bool home = false;     // of a convolution's second half: the inverse transforms
  // Of its turning point, by PE: there and back in one pass, and here lies what is between.
  layout spectrum{};
  bool real_spectrum = false;
  // Of a matrix (matrix.hpp): the length of the line, by powers of whose root results are multiplied; 0: they are not.
  int twiddles = 0;

  bool turns() const { return !spectrum.empty(); }
  bool halves() const { return real_before && !(turns() ? real_spectrum : real_after); }  // axis 0 becomes complex
};

enum class decomposition { any, slabs, pencils, bricks };

struct problem {
  axes3 extent{};     // of the input of a forward transform, in elements
  // Real input and complex output: that has extent[0] / 2 + 1 elements along axis 0.
  bool real_in = false, real_out = false;
  along3 along{};              // what is done along each axis
  axes3 names = natural_order;  // the caller's axes
  layout in, out;
  bool convolves = false;  // there and back in one run, out to the boxes `in`
  bool is_matrix = false;  // an array of one axis, as matrix.hpp has it
  bool undivided = false;  // an array of one axis that several PEs have, but only one can transform
  std::size_t complex_bytes = 16;
  int fields = 1;
  bool direct = true;         // PEs may read and write each other's work arrays
  bool symmetric_in = false;  // the caller's buffers for the boxes `in`, by promise
  bool symmetric_out = false;

  bool halves() const { return real_in && !real_out; }
  bool symmetric_result() const { return convolves ? symmetric_in : symmetric_out; }
  axes3 out_extent() const {
    return halves() ? axes3{extent[0] / 2 + 1, extent[1], extent[2]} : extent;
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
  // For people: "in[xy] < work[z] > out", < where a stage gathers; by the caller's axes.
  std::string text(const axes3& names = natural_order) const;
};

// Nothing goes from one PE to another.
bool is_local(const stage& from, const stage& to);

// The same way back, for the inverse transform.
route reversed(const route& forward);

// There and back, for a convolution, turning in the last stage that transforms; false: that is at once.
bool fold(route& way);

struct machine;

// All that make sense, of one kind or of any, cheapest first; never empty.
std::vector<route> candidates(const problem& what, decomposition kind, const machine& on);

}  // namespace oshen::fft
