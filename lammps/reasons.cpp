#include "reasons.hpp"

namespace oshen::lammps {

bool reasons::add(const std::string& why) {
  return ++plans_[why] == 1;
}

std::string reasons::text() const {
  std::string text;
  for (const auto& [why, plans] : plans_) text += (text.empty() ? "" : "; ") + why + " (" + std::to_string(plans) + ")";
  return text;
}

}  // namespace oshen::lammps
