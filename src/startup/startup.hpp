// Start-up and shutdown: builds a world and takes it apart (design/start-up.md).
#pragma once

#include "world/world.hpp"

namespace oshen {

// Builds `w` over `launcher`. Collective over the launcher's PEs. On failure it undoes all steps.
status open_world(world& w, bootstrap::launcher& launcher, const settings& config);

// Takes `w` apart, in the reverse order. Collective: ends with the launcher's barrier.
void close_world(world& w);

// The layout of a node segment with `n_slices` of the job's `n_pes` PEs.
heap::segment_layout plan_of(int n_pes, int n_slices, std::size_t data_bytes, std::size_t heap_bytes,
                             int team_slots = max_teams);
std::size_t annex_bytes(int team_slots, int n_pes, int n_slices);

// For unit tests, whose PEs are threads: `w.segment` exists already, and there is no static data.
void furnish_world(world& w, bootstrap::launcher& launcher, const settings& config);

}  // namespace oshen
