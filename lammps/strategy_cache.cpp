#include "strategy_cache.hpp"

#include <algorithm>
#include <utility>

namespace oshen::lammps {

std::string strategy_cache::find(const std::string& kind) const {
  const auto known = by_kind_.find(kind);
  if (known != by_kind_.end()) return known->second;
  if (by_kind_.size() < enough) return "auto";
  // Of equally frequent ones, the last by name, so that all ranks choose the same.
  const auto less = [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  };
  return std::max_element(used_.begin(), used_.end(), less)->first;
}

void strategy_cache::remember(const std::string& kind, const std::string& chosen) {
  if (by_kind_.size() < enough) by_kind_.emplace(kind, chosen);
  used_[chosen]++;
}

}  // namespace oshen::lammps
