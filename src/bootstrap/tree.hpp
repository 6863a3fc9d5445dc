// The tree by which results of the hub reach the PEs. The children of a PE are two PEs of its host. The first PE of a
// host has the first PEs of two other hosts as further children.
#pragma once

namespace oshen::bootstrap {

inline constexpr int tree_degree = 2;
inline constexpr int most_children = 2 * tree_degree;

// Sets `parents[pe]`. `hosts[pe]`: hosts are numbered from 0 in the order of their first PEs. PE 0 is the root, and has
// -1. Work is proportional to `n_pes`; false: no memory.
bool plan_tree(const int* hosts, int n_pes, int* parents);

}  // namespace oshen::bootstrap
