// The node segment comes to every PE of a node: one makes it, the others map the same object and prove it.
#pragma once

#include "world/pe_info.hpp"
#include "world/world.hpp"

namespace oshen {

// Finds the PEs of this node (w.near) and maps their common segment. Collective over all PEs of the job. Who cannot map
// what its proposed neighbours share makes a node with those that could not either.
status settle_nodes(world& w, const all_pe_info& all, std::size_t heap_bytes);

// Start-up passes here by name, so that the fault tests can kill a PE in each phase.
void pass_phase(const world& w, const char* name);

}  // namespace oshen
