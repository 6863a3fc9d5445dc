// Attaches every PE to the segment of its node: one PE creates it, and the other PEs map the same object and verify it.
#pragma once

#include "startup/pe_info.hpp"
#include "world/world.hpp"

namespace oshen {

// Finds the PEs of this node (w.near) and maps their common segment. Collective over all PEs of the job. PEs that
// cannot map the segment of their proposed node form a node of their own.
status form_nodes(world& w, const all_pe_info& all, std::size_t heap_bytes);

// Called at the beginning of each phase of start-up, so that the fault tests can kill a PE in each of them.
void pass_phase(const world& w, const char* name);

}  // namespace oshen
