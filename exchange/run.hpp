// The states of a run, for the strategies that move their parcels themselves and for who reports on a run.
#pragma once

#include "plan.hpp"

namespace oshen::exchange {

// A parcel is elsewhere now than in `in`.
inline void left_in(oshen_plan& plan, outgoing& p, outgoing_state now) {
  if (p.state == outgoing_state::pending) plan.pending--;
  p.state = now;
}
// It has left this PE.
inline void is_sent(oshen_plan& plan, outgoing& p) {
  left_in(plan, p, outgoing_state::sent);
  plan.unsent--;
}
// One has arrived in `out`.
inline void is_here(oshen_plan& plan, incoming& p) {
  p.state = incoming_state::here;
  plan.expected--;
}

// What this PE keeps: straight to `out` if that is apart from `in`, else to staging memory; once.
void hold_own(oshen_plan& plan);
// Packs into staging memory all that is still in `in`, and what this PE keeps, if `out` overlaps `in`: before anybody
// writes to `out`.
void secure(oshen_plan& plan);

// Whether the run is over: nothing is left but the release.
bool done(const oshen_plan& plan);

}  // namespace oshen::exchange
