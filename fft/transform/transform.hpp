// A transform, and what a program requests of it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fft/geometry/matrix.hpp"
#include "fft/geometry/route.hpp"
#include "fft/transform/engine.hpp"
#include "oshen/fft.h"

namespace oshen::fft {

struct request {
  fft_problem problem;
  std::vector<distances> field_distances;  // between the caller's fields, in elements, by PE
  bool single = false;                     // precision
  oshen_fft_effort_t effort = OSHEN_FFT_ESTIMATE;
  decomposition kind = decomposition::any;
  const char* strategy = nullptr;
  std::byte* workspace = nullptr;  // lent by the caller
  std::size_t workspace_bytes = 0;
  int expected_runs = 0;  // for OSHEN_FFT_AUTO; 0: unknown
  // For an array of one axis that is treated as a matrix: its blocks, and the distances in the caller's buffers.
  blocks line_in, line_out;
  std::vector<distances> line_distances;

  bool is_reblocked() const { return line_in.differ() || line_out.differ(); }
};

struct remap_request {
  layout in, out;
  std::size_t element = 0;
  int fields = 1;
  std::size_t in_distance = 0, out_distance = 0;  // elements
};

class transform {
 public:
  virtual ~transform() = default;
  virtual void start(direction dir, const void* in, void* out, double scale) = 0;
  virtual bool test() = 0;
  virtual void wait() = 0;
  virtual oshen_fft_workspace_t workspace() const = 0;
  virtual oshen_fft_cost_t cost() const = 0;
  virtual oshen_fft_stats_t stats() const = 0;
  virtual std::string text() const = 0;
  // Sets the factors of a convolution. Collective.
  virtual oshen_status_t set_factors(oshen_group_t* group, const void* factors) = 0;
  // No PE will read or write arrays of this transform again, so its destruction needs no sync.
  virtual void peers_are_done() {}
};

// Makes a transform with this route. Collective. Returns null with a status.
std::unique_ptr<transform> make_transform(oshen_group_t* group, const request& wanted, const route& chain,
                                          const tuning& options, oshen_status_t* status);

}  // namespace oshen::fft
