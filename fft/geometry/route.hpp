// A route: the path of an array through a transform, as a chain of stages. Each stage has a layout in which some axes
// are complete, and transforms those axes. Candidates are enumerated and rated. Arithmetic only.
//
// The first layout is the caller's input, the last one the caller's output. The exchange between two stages moves
// every point from its owner in one layout to its owner in the next. With bricks along z on two PEs, for example: [in:
// x, y] -> [z, cut along y] -> [out].
#pragma once

#include <string>
#include <vector>

#include "fft/geometry/box.hpp"
#include "fft/geometry/modes.hpp"
#include "fft/geometry/split.hpp"
#include "oshen/fft.h"

namespace oshen::fft {

using along3 = per_axis<oshen_fft_along_t>;

struct stage {
  layout before;  // of the data as it arrives.
  // The same boxes, except that a real axis may have become complex, and modes dropped, or the reverse.
  layout after;
  std::vector<int> axes;     // transformed here, in this order.
  along3 along{};            // the forward transforms.
  bool real_before = false;  // elements are real numbers, not complex ones.
  bool real_after = false;
  bool at_once = false;  // one FFTW plan for the whole box, not tile by tile
  bool inverse = false;  // in the second half of a convolution: inverse transforms
  // The stage where a convolution turns transforms forward and back in one pass. This is the layout of the spectrum in
  // between, by PE.
  layout spectrum{};
  bool real_spectrum = false;
  // For a matrix (matrix.hpp): the length of the array, by powers of whose root results are multiplied; 0: none.
  int twiddles = 0;
  kept3 kept{};  // along the axes that are transformed here: `after` has these modes only, or the reverse

  bool turns() const { return !spectrum.empty(); }
  bool halves() const { return real_before && !(turns() ? real_spectrum : real_after); }  // axis 0 becomes complex
  // Whether `after` has other elements than `before`: of another type, or some are dropped or added.
  bool changes_elements() const { return real_before != real_after || (!turns() && drops(kept)); }
};

enum class decomposition { any, slabs, pencils, bricks };

struct fft_problem {
  axes3 extent{};  // of the input of a forward transform, in elements
  // With real input and complex output, the output has extent[0] / 2 + 1 elements along axis 0. It has fewer along axes
  // with dropped modes.
  bool real_in = false, real_out = false;
  along3 along{};               // the transform along each axis
  kept3 kept{};                 // the modes of the output
  axes3 names = natural_order;  // the caller's axes
  layout in, out;
  bool convolves = false;  // forward and back in one run, with the output in the boxes `in`
  bool is_matrix = false;  // an array of one axis, see matrix.hpp
  bool undivided = false;  // an array of one axis that several PEs own, but only one can transform
  std::size_t complex_bytes = 16;
  int fields = 1;
  bool direct = true;         // PEs may read and write each other's work arrays
  bool symmetric_in = false;  // the caller promises symmetric buffers for the boxes `in`
  bool symmetric_out = false;

  bool halves() const { return real_in && !real_out; }
  bool symmetric_result() const { return convolves ? symmetric_in : symmetric_out; }
  bool drops() const { return fft::drops(kept); }
  axes3 out_extent() const {
    axes3 result = extent;
    if (halves()) result[0] = extent[0] / 2 + 1;
    for (int a = 0; a < 3; a++)
      if (kept[a].drops()) result[a] = kept[a].count();
    return result;
  }
};

struct route {
  decomposition kind = decomposition::any;
  std::vector<stage> stages;  // at least one; exchange i lies between stages i and i + 1
  double cost = 0;            // estimated seconds
  bool gather = false;        // stages gather their points from the arrays where the previous stage found or left them

  int exchanges() const { return static_cast<int>(stages.size()) - 1; }
  // Whether results stay in place at exchange e until the next stage gathers them. Before a last stage that only
  // copies, they are pushed.
  bool results_stay(std::size_t e) const { return gather && !(e + 2 == stages.size() && stages.back().axes.empty()); }
  // The process grids of the layouts between the caller's boxes, up to the stage that turns. A layout on the grid of
  // the one before is left out.
  std::vector<grid3> process_grids() const;
  // A text such as "in[xy] < work[z] > out", with < where a stage gathers, by the caller's axes.
  std::string text(const axes3& names = natural_order) const;
};

// Whether no point moves from one PE to another.
bool is_local(const stage& from, const stage& to);

// The reverse route, for the inverse transform.
route reversed(const route& forward);

// Extends a route forward and back for a convolution, turning in the last stage that transforms. Returns false if that
// stage is `at_once`.
bool fold(route& chain);

struct machine_model;

// All sensible routes of one kind or of any, cheapest first; never empty.
std::vector<route> candidates(const fft_problem& problem, decomposition kind, const machine_model& on);

}  // namespace oshen::fft
