// State transitions of a run, for strategies that move their parcels themselves.
#pragma once

#include <string>

#include "exchange/plan/plan.hpp"

namespace oshen::exchange {

// Records that a parcel has left `in`, or has moved on from staging memory.
inline void set_state(oshen_plan& plan, outgoing& p, outgoing_state now) {
  if (p.state == outgoing_state::pending) plan.pending--;
  p.state = now;
}
inline void mark_sent(oshen_plan& plan, outgoing& p) {
  set_state(plan, p, outgoing_state::sent);
  plan.unsent--;
}
// Records that a parcel is complete in `out`.
inline void mark_arrived(oshen_plan& plan, incoming& p) {
  p.state = incoming_state::arrived;
  plan.expected--;
}

// Moves the parcel of this PE to itself: straight to `out` if that is apart from `in`, else to staging memory. A second
// call does nothing.
void move_own(oshen_plan& plan);
// If `out` overlaps `in`: packs everything that is still in `in` into staging memory. Call it before `out` is written.
void stage_all(oshen_plan& plan);

// Whether the run has nothing left to wait for.
bool done(const oshen_plan& plan);

// The PEs that the runs under way are waiting for: "PE 2 (put_signal, run 17), ...".
std::string missing_peers(const oshen_arena& arena);

}  // namespace oshen::exchange
