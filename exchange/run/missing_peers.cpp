#include "exchange/run/run.hpp"

namespace oshen::exchange {
namespace {

template <class Parcels, class Missing>
void name_peers(const Parcels& parcels, Missing missing, std::string& names) {
  int named = 0;
  for (const auto& p : parcels) {
    if (!missing(p) || ++named > 8) continue;  // names at most 8
    names += (names.empty() ? "PE " : ", PE ") + std::to_string(p.pe);
  }
}

std::string missing_peers_of(const oshen_plan& plan) {
  if (plan.deferred) return "PEs that have not ended run " + std::to_string(plan.stats.runs) + " of a plan";
  std::string names;
  name_peers(plan.receives, [](const incoming& p) { return p.state == incoming_state::expected; }, names);
  if (names.empty()) {
    name_peers(plan.sends, [](const outgoing& p) { return p.state != outgoing_state::sent; }, names);
  }
  if (names.empty()) names = "the barrier at its end";
  return names + " (" + plan.strategy->name + ", run " + std::to_string(plan.run) + ")";
}

}  // namespace

std::string missing_peers(const oshen_arena& arena) {
  std::string text;
  for (const oshen_plan* plan : arena.active)
    if (!done(*plan)) text += (text.empty() ? "" : "; ") + missing_peers_of(*plan);
  return text;
}

}  // namespace oshen::exchange
