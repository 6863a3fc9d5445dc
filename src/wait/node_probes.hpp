// How the PE that sends the probes (wait/quiescence.hpp) reaches other nodes: it stores the probe on the first PE of
// each node, and fetches the node's answer from there. No function waits.
#pragma once

#include <cstdint>

#include "world/network.hpp"
#include "world/world.hpp"

namespace oshen {

// The answer of a node whose PEs have all finalized.
inline constexpr std::uint64_t answer_to_all_probes = ~std::uint64_t{0};

// `enough`: the count of consecutive answers to begin with.
void begin_node_probes(world& w, std::uint32_t enough);

// True if every other node has answered the probe. node_probes::least is then the least count of consecutive answers.
bool nodes_have_answered(world& w, std::uint32_t probe, std::uint64_t now);

}  // namespace oshen
