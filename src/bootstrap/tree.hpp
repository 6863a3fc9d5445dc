// The tree by which results of the hub reach the PEs. The children of a PE are two PEs of its host. The first PE of a
// host has the first PEs of two other hosts as further children.
#pragma once

namespace oshen::bootstrap {

inline constexpr int tree_degree = 2;
inline constexpr int most_children = 2 * tree_degree;

// Sets `parents[pe]`; -1 for PE 0, which is the root. `hosts[pe]` is the number of the PE's host, from 0 in the order
// of the hosts' first PEs. The work is proportional to `n_pes`. False if there is no memory.
bool plan_tree(const int* hosts, int n_pes, int* parents);

}  // namespace oshen::bootstrap
