// All non-blocking collectives of one PE, with a queue for each team. Every long wait of the library advances them
// (wait/progress.hpp). With OSHEN_PROGRESS=thread a thread advances them, too.
#pragma once

#include "coll/collective.hpp"
#include "coll/nonblocking/queue.hpp"
#include "coll/nonblocking/threads.hpp"
#include "world/world.hpp"

namespace oshen::coll::async {

struct progress_engine {
  std::atomic<queue*> queues[max_teams] = {};            // By slot of the team; created at the first use.
  std::atomic<std::uint64_t> busy[max_teams / 64] = {};  // Slots whose queue has operations under way.
  progress_thread thread;
};

// Starts `call` and returns its number, or 0 if there is nothing to do. Collective over the team; one thread of a PE at
// a time calls it. If `most_open` operations of the team are under way, it completes the oldest one first.
std::uint64_t start(kind k, const collective_call& call);

// test() advances all operations of this PE. True if operation `number` of the team has ended.
bool test(team& t, std::uint64_t number);
void wait(team& t, std::uint64_t number, const char* routine);

// The number whose low half is `low`; 0 if the team has not started such an operation.
std::uint64_t full_number(const team& t, std::uint32_t low);
// Prints a line for each team with operations for which the program has not waited, as the end of the library does.
void report_unclaimed(world& w, const char* routine);
// Notes that the program has learned of the end of one of the team's operations.
void claim(team& t);

}  // namespace oshen::coll::async
