#include "fft_choices.hpp"

#include <utility>

namespace oshen::lammps {

const fft_choice* fft_choices::find(const std::string& kind) const {
  const auto known = known_.find(kind);
  return known == known_.end() ? nullptr : &known->second;
}

void fft_choices::add(const std::string& kind, fft_choice choice) {
  const auto earlier = known_.find(kind);
  if (earlier != known_.end()) choice.plans += earlier->second.plans;
  known_.insert_or_assign(kind, std::move(choice));
}

std::vector<std::string> fft_choices::lines() const {
  std::vector<std::string> lines;
  for (const auto& [kind, choice] : known_) {
    const std::string plans = choice.plans == 1 ? "1 plan" : std::to_string(choice.plans) + " plans";
    lines.push_back(choice.text + " (" + plans + ")");
  }
  return lines;
}

}  // namespace oshen::lammps
