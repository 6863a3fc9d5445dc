// A transform: from the attributes of all members to a request, the choice of a route, and the object that runs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine.hpp"
#include "matrix.hpp"
#include "oshen/fft.h"
#include "route.hpp"

namespace oshen::fft {

// ---- the request (request.cpp)

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

// Combines the attributes of all members into one request, the same on all, or prints why it is refused. Collective.
// Strings in the request point into `attr`. `routine` is the API call, for messages.
oshen_status_t read_request(oshen_group_t* group, const char* routine, const oshen_fft_attr_t* attr, request* wanted);
oshen_status_t read_request(oshen_group_t* group, const oshen_remap_attr_t* attr, remap_request* wanted);

// ---- the transform

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

// Makes a transform with this route (transform.cpp). Collective. Returns null with a status.
std::unique_ptr<transform> make_transform(oshen_group_t* group, const request& wanted, const route& chain,
                                          const tuning& options, oshen_status_t* status);

// Makes a transform with the best route (find.cpp): by estimated cost, or by measuring the most promising ones.
// Collective. Returns null with a status.
std::unique_ptr<transform> find_transform(oshen_group_t* group, const request& wanted, oshen_status_t* status);

// The same for OSHEN_FFT_AUTO (auto_transform.cpp): by what was learned earlier, or by trials in the first runs.
std::unique_ptr<transform> find_live(oshen_group_t* group, const request& wanted, oshen_status_t* status);

// The same for an array of one axis whose blocks are not whole rows of its matrix (reblocked.cpp): the best transform
// of rounded blocks, with moves between the given and the rounded blocks around it.
std::unique_ptr<transform> find_reblocked(oshen_group_t* group, const request& wanted, oshen_status_t* status);

// ---- memory, before anything is made (need.cpp)

// A route that find_transform may choose, with the options that memory depends on.
struct candidate_plan {
  route chain;
  tuning options;
  const char* strategy = nullptr;  // of exchange plans; null: that of the request
};
std::vector<candidate_plan> candidate_plans(const request& wanted);
// Whether strategies of exchange plans are tried.
bool tries_strategies(const request& wanted);
// The request with the strategy of a candidate.
request with_strategy(const request& wanted, const candidate_plan& one);
// The routes that find_live may try, the cheapest first, all with different names. If strategies are tried too, each
// route has another process grid.
std::vector<candidate_plan> live_routes(const request& wanted);
// The candidates of find_live, the most promising one first: these routes, or pairs of a route and a strategy.
// Collective.
std::vector<candidate_plan> live_candidates(oshen_group_t* group, const request& wanted);
// A word for the choice file.
std::string name_of(const candidate_plan& way);
// The request that find_live makes of its own: if shmem_ptr does not reach all partners, exchange plans move the data,
// with strategies that are tried together with the routes. Collective.
request auto_request(oshen_group_t* group, const request& wanted);
// Whether shmem_ptr reaches all of these members. Local.
bool reaches_partners(oshen_group_t* group, const std::vector<int>& partners);
// Bytes of the arena that find_transform uses for its trial buffer.
std::size_t trial_bytes(const request& wanted, int me);
// Memory for the moves and the buffer of find_reblocked on this PE. Local.
oshen_need_t reblocking_need(oshen_group_t* group, const request& wanted);
// The most that find_transform or find_reblocked may use on this PE. Collective.
oshen_fft_need_t need_of(oshen_group_t* group, const request& wanted);

}  // namespace oshen::fft
