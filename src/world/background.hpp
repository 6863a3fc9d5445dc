// Work that goes on while this PE waits for something else: non-blocking collectives (coll/async). Every long wait
// does a piece of it (idle.cpp). The layer that has the work fills this in when it gets some.
#pragma once

#include <atomic>
#include <cstdint>

#include "os/mutex.hpp"

namespace oshen {

struct team;
struct world;
namespace coll::async {
struct engine;
}

struct background {
  std::atomic<std::uint32_t> open{0};  // operations under way: while 0, a wait looks at nothing else
  // Does what can be done without waiting; true if something was done. `thorough`: also where another thread of this PE
  // is at it, which costs waiting for that thread.
  bool (*advance)(world& w, bool thorough) = nullptr;
  // Completes what one team has under way on this PE. Collective over the team, as the operations are.
  void (*finish_team)(team& t, const char* routine) = nullptr;
  // Completes everything and ends the engine. Collective, as the operations are.
  void (*finish)(world& w) = nullptr;

  os::mutex making;  // one thread makes the engine
  std::atomic<coll::async::engine*> engine{nullptr};
};

}  // namespace oshen
