// Distributes the equal cards of a node among its PEs.
#pragma once

namespace oshen::transport {

// The number of the card of the PE that is number `near_index` of its node: the cards on the NUMA node of its CPUs in
// turn, or all cards in turn if none is there. Each PE decides by itself. -1 is an unknown NUMA node.
constexpr int share_of(const int* numa_nodes, int n_cards, int own_numa_node, int near_index) {
  const auto is_near = [&](int card) { return own_numa_node >= 0 && numa_nodes[card] == own_numa_node; };
  int n_near = 0;
  for (int card = 0; card < n_cards; ++card) n_near += is_near(card) ? 1 : 0;
  if (n_near == 0) return near_index % n_cards;
  int card = -1;
  for (int turn = near_index % n_near; turn >= 0; --turn) do
      ++card;
    while (!is_near(card));
  return card;
}

}  // namespace oshen::transport
