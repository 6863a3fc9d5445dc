// All non-blocking collectives of one PE: a queue for each team, and who advances them. Every long wait of the library
// does (wait/progress.hpp); with OSHEN_PROGRESS=thread also a thread.
#pragma once

#include "coll/collective.hpp"
#include "coll/nonblocking/queue.hpp"
#include "coll/nonblocking/threads.hpp"
#include "world/world.hpp"

namespace oshen::coll::async {

struct engine {
  std::atomic<queue*> queues[max_teams] = {};            // by slot of the team; made when first needed
  std::atomic<std::uint64_t> busy[max_teams / 64] = {};  // slots whose queue has operations under way
  progress_thread thread;
};

// Starts `job` and returns its number, 0 if there is nothing to do. Collective over the team: one thread at a time. If
// `most_open` operations of the team are under way, the oldest is completed first.
std::uint64_t start(kind k, const collective_call& call);

// Goes on with everything; true if operation `number` of the team has ended.
bool test(team& t, std::uint64_t number);
void wait(team& t, std::uint64_t number, const char* routine);

// The number whose low half is `low`; 0 if the team has not started such an operation.
std::uint64_t full_number(const team& t, std::uint32_t low);
// The user has been told that one of the team's operations has ended.
void claim(team& t);

}  // namespace oshen::coll::async
