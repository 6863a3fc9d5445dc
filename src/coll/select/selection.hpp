// Selection of the algorithm for a team, a collective and a size class. The first of these that has a rule decides:
//   1. the setting OSHEN_COLL_<NAME>   2. the user's file for this machine   3. the tuning file   4. the cost model.
// All PEs of a team must select the same algorithm. design/selection.md explains why they do.
#pragma once

#include "coll/select/registry.hpp"
#include "coll/select/tuning_file.hpp"

namespace oshen::coll {

enum class reason : std::uint8_t { setting, machine_file, tuning_file, model };
const char* name_of(reason r);

struct selection {
  int algorithm_index = 0;  // index into registry()
  reason why = reason::model;
  int line = 0;  // of the rule in its file
};

// Selects the algorithm of collective `k` for a team of shape `s`. If `p` is null, the cost model alone decides.
selection choose(kind k, const team_shape& s, const tuning_rules* p);

// The shape of a team, with which its algorithms are selected.
team_shape shape_of(team& t);

// True if the algorithm can run on a team of shape `s`.
bool can_do(const algorithm& a, const team_shape& s);

// The largest size of a size class. An algorithm is selected for that size.
constexpr std::size_t largest_of(int size_class) { return std::size_t{1} << size_class; }

// A new team has made no choices. Each choice is made at its first use, without communication.
inline constexpr std::uint8_t undecided = 255;
void forget_choices(team& t);
std::uint8_t decide(team& t, kind k, int size_class);

inline const algorithm& algorithm_for(team& t, kind k, int size_class) {
  std::uint8_t algorithm_index = t.chosen_algorithms[static_cast<int>(k)][size_class];
  if (algorithm_index == undecided) [[unlikely]]
    algorithm_index = decide(t, k, size_class);
  return *algorithm_table[algorithm_index];
}

}  // namespace oshen::coll
