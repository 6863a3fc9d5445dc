#include "coll/run/chaos.hpp"

#include <stdlib.h>

#include <new>

#include "base/log.hpp"
#include "os/clock.hpp"
#include "os/process.hpp"
#include "world/world.hpp"

namespace oshen::coll {
namespace {

// A hash whose values look random: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014,
// doi:10.1145/2660193.2660195).
std::uint64_t scatter(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void spin(std::uint64_t ns) {
  for (const std::uint64_t end = os::now_ns() + ns; os::now_ns() < end;) os::pause();
}

// Most events are not delayed. Some delays last as long as a message or a time slice of the CPU; a few last so long
// that all other PEs wait.
void disturb(observer& self, const team& t, event, int, std::size_t) {
  auto& mine = static_cast<chaos&>(self);
  const std::uint64_t event = mine.events.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t dice = scatter(mine.seed + static_cast<std::uint64_t>(t.home->pe) * 0x9e3779b97f4a7c15u + event);
  const std::uint64_t amount = dice >> 32;
  switch (dice % 64) {
    case 0: return os::nap(amount % 200000);
    case 1:
    case 2:
    case 3:
    case 4: return os::yield();
    case 5:
    case 6:
    case 7:
    case 8: return spin(amount % 10000);
    case 9:
    case 10:
    case 11:
    case 12: return spin(amount % 500);
    default: return;
  }
}

}  // namespace

chaos::chaos(std::uint64_t with_seed) : observer{disturb}, seed(scatter(with_seed)) {}

void watch_as_set(world& w) {
  if (w.config.chaos_seed == 0) return;
  void* memory = malloc(sizeof(chaos));
  if (memory == nullptr) {
    log::error("OSHEN_CHAOS: no memory for it; the job runs without");
    return;
  }
  w.watcher = new (memory) chaos(w.config.chaos_seed);
  w.team_world.watcher = w.watcher;
  w.team_shared.watcher = w.watcher;
}

}  // namespace oshen::coll
