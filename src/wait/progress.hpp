// Progress of operations with other nodes (design/several-nodes.md, "Progress"). A thread of the program makes progress
// while it waits; the network's own thread makes it while none does. A thread that waits for a PE of another node may
// block in the transport's descriptor itself: it is the PE's blocking poller. There is at most one.
#pragma once

#include "world/network.hpp"
#include "world/world.hpp"

namespace oshen {

// ---- threads of the program -----------------------------------------------------------------------------------

// Makes progress, and wakes threads that wait on this PE if something arrived. True if something was done.
bool advance_network(world& w);

// Makes the calling thread the blocking poller; false if another thread is. The caller then tests its condition once
// more before it blocks.
bool become_poller(network& n);
void stop_polling(network& n);
// Blocks for at most `at_most_ns`. True if there is something to do.
bool poll_blocking(network& n, std::uint64_t at_most_ns);

// Enclose a sleep at the wake flag: meanwhile the network's own thread makes progress for the sleeper.
void begin_sleep(network& n);
void end_sleep(network& n);

// ---- the network's own thread ---------------------------------------------------------------------------------

// Started for a transport that does not progress by itself. Without one, for want of memory, only calls of the library
// make progress.
void start_network_thread(world& w);
void end_network_thread(network& n);

}  // namespace oshen
