// Progress of operations with other nodes (design/progress.md). A thread of the program makes progress
// while it waits; while no thread waits, the network's own thread makes progress. A thread that waits for a PE of
// another node may block in the transport's descriptor itself: it is then the PE's only blocking poller.
#pragma once

#include "world/network.hpp"
#include "world/world.hpp"

namespace oshen {

// ---- threads of the program -----------------------------------------------------------------------------------

// Makes progress, and wakes threads that wait on this PE if data arrived. True if there was any progress.
bool advance_network(world& w);

// For a thread that polls in a wait, once: arrivals for it should wake no thread that blocks in the transport's
// descriptor. True: such a thread does not see them, so the caller calls show_arrivals() before it sleeps or goes on.
bool hide_arrivals(network& n);
void show_arrivals(network& n);

// Makes the calling thread the blocking poller. False if another thread is the poller, or if the transport has no
// descriptor. The caller then tests its condition once more before it blocks.
bool become_poller(network& n);
void stop_polling(network& n);
// Blocks for at most `at_most_ns`. True if there is something to do.
bool poll_blocking(network& n, std::uint64_t at_most_ns);

// Enclose a sleep at the wake flag: meanwhile the network's own thread makes progress for the sleeper.
void begin_sleep(network& n);
void end_sleep(network& n);

// Wakes the thread that blocks in the descriptor, which is the network's own or the blocking poller: an operation must
// be tried again.
void call_network_thread(network& n);

// ---- the network's own thread ---------------------------------------------------------------------------------

// Starts the thread, unless the transport progresses by itself. If the thread cannot be started, only calls of the
// library make progress.
void start_network_thread(world& w);
void end_network_thread(network& n);

}  // namespace oshen
