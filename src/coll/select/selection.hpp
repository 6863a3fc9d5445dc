// Which algorithm runs: for each team, each collective and each size class the first of these that says something
//   1. the setting OSHEN_COLL_<NAME>   2. the user's file for this machine   3. the tuning file   4. the cost model.
// Every PE of a team must choose alike. It does: design/selection.md.
#pragma once

#include "coll/select/registry.hpp"
#include "coll/select/tuning_file.hpp"

namespace oshen::coll {

enum class reason : std::uint8_t { setting, machine_file, tuning_file, model };
const char* name_of(reason r);

struct choice {
  int algorithm_index = 0;  // index into registry()
  reason why = reason::model;
  int line = 0;  // of the file
};

// The algorithm of collective `k` in the situation `s`. `p` may be null: the model alone.
choice choose(kind k, const team_shape& s, const preferences* p);

// The row can do what `s` says.
bool can_do(const algorithm& a, const team_shape& s);

// The largest message of a size class: what rows are asked about.
constexpr std::size_t largest_of(int size_class) { return std::size_t{1} << size_class; }

// A new team has decided nothing; each choice is made when it is first needed. Local.
inline constexpr std::uint8_t undecided = 255;
void forget_choices(team& t);
std::uint8_t decide(team& t, kind k, int size_class);

inline const algorithm& algorithm_for(team& t, kind k, int size_class) {
  std::uint8_t algorithm_index = t.chosen[static_cast<int>(k)][size_class];
  if (algorithm_index == undecided) [[unlikely]]
    algorithm_index = decide(t, k, size_class);
  return *algorithm_table[algorithm_index];
}

}  // namespace oshen::coll
