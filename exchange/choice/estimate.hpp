// The model that ranks the strategies of a plan: estimated seconds of a run, from the bytes and messages of the busiest
// PE and the costs of the machine. It only has to find the few strategies that are worth trying.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange/choice/machine_costs.hpp"
#include "exchange/group/group.hpp"
#include "exchange/plan/strategy.hpp"

namespace oshen::exchange {

// The largest values of all PEs of the group, for one run with all fields.
struct plan_traffic {
  double sent = 0, sent_far = 0;  // bytes to PEs whose memory is mapped, and to others
  double received = 0;            // bytes from other PEs.
  double peers = 0;               // PEs that one PE sends to
  double rows = 0;                // contiguous rows of all messages.
  std::size_t chunks = 1;         // into which `pipeline` cuts the boxes
  std::uint64_t key = 0;          // a hash of the whole pattern and of where the PEs are, equal on all
  double remaining = 0;           // of the time that trials may lose, in seconds; the least of all PEs.
  int members = 1;
  bool crowded = false;   // PEs share CPUs
  bool apart = false;     // the buffers never overlap
  machine_costs costs{};  // of the machine of member 0
};

// Collective.
plan_traffic traffic_of(oshen_group& group, const oshen_plan_attr_t& attr, double remaining);

// Seconds of a run with a strategy.
double estimate(const strategy& candidate, const plan_traffic& t);

struct ranked_strategy {
  const strategy* used;
  double seconds;
};

// The strategies whose requirements the plan meets, fastest first. Equal on all PEs.
std::vector<ranked_strategy> ranking(const oshen_plan_attr_t& attr, const plan_traffic& t);

}  // namespace oshen::exchange
