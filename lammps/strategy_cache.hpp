// The strategies that "auto" has chosen. LAMMPS makes the same plans again for every run and every rebalancing, so
// each kind is measured only once.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

namespace oshen::lammps {

class strategy_cache {
 public:
  // The strategy for a plan of this kind: one chosen before, or "auto". The result is the same on all ranks that have
  // made the same plans.
  std::string find(const std::string& kind) const;
  void remember(const std::string& kind, const std::string& chosen);

  // Numbers of plans by strategy, measured or not.
  const std::unordered_map<std::string, std::size_t>& used() const { return used_; }

 private:
  // A box that is always cut anew produces new kinds for ever. After this many measurements, the most frequent result
  // is used for all.
  static constexpr std::size_t enough = 24;

  std::unordered_map<std::string, std::string> by_kind_;
  std::unordered_map<std::string, std::size_t> used_;
};

}  // namespace oshen::lammps
