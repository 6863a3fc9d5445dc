// A transform: the routes there and back, what carries the data, and the plans of all passes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine.hpp"
#include "matrix.hpp"
#include "oshen/fft.h"
#include "route.hpp"

namespace oshen::fft {

struct request {
  problem what;
  std::vector<distances> user;  // between fields, in elements, by PE
  bool single = false;          // precision
  oshen_fft_effort_t effort = OSHEN_FFT_ESTIMATE;
  decomposition kind = decomposition::any;
  const char* strategy = nullptr;
  std::byte* workspace = nullptr;  // of the caller
  std::size_t workspace_bytes = 0;
  // Of an array of one axis that PEs share as a matrix: its blocks, and the caller's distances.
  blocks line_in, line_out;
  std::vector<distances> line_user;

  bool is_reblocked() const { return line_in.differ() || line_out.differ(); }
};

class transform {
 public:
  virtual ~transform() = default;
  virtual void start(direction way, const void* in, void* out, double scale) = 0;
  virtual bool test() = 0;
  virtual void wait() = 0;
  virtual oshen_fft_workspace_t workspace() const = 0;
  virtual oshen_fft_cost_t cost() const = 0;
  virtual std::string text() const = 0;
  // Of a convolution; collective.
  virtual oshen_status_t set_factors(oshen_group_t* group, const void* factors) = 0;
};

// One way of doing it. Collective; null with a status.
std::unique_ptr<transform> make_transform(oshen_group_t* group, const request& wanted,
                                          const route& way, const tuning& how,
                                          oshen_status_t* status);

// The best way: by cost, or by measuring the most promising. Collective; null with a status.
std::unique_ptr<transform> find_transform(oshen_group_t* group, const request& wanted,
                                          oshen_status_t* status);

}  // namespace oshen::fft
