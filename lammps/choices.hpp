// What "auto" has chosen: LAMMPS makes the same plans again at every run and every rebalancing, and
// measuring once is enough.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

namespace oshen::lammps {

class choices {
 public:
  // The strategy for a plan of this kind: a name that was chosen before, or "auto". The same on all
  // ranks that have made the same plans.
  std::string find(const std::string& kind) const;
  void remember(const std::string& kind, const std::string& chosen);

  // Plans with each strategy, measured or not.
  const std::unordered_map<std::string, std::size_t>& used() const { return used_; }

 private:
  // A box that is cut anew all the time gives new kinds for ever: after so many measurements the
  // most frequent result stands for all.
  static constexpr std::size_t enough = 24;

  std::unordered_map<std::string, std::string> by_kind_;
  std::unordered_map<std::string, std::size_t> used_;
};

}  // namespace oshen::lammps
