// What a board costs: an algorithm in which PEs post their data with a flag, and others read them there.
#pragma once

#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {

// One PE reads `posts` flag slots of others with `payload` bytes each. The first 48 bytes come with the flag. A CPU
// that waits for the lines of the rest, one after the other, is slower than one that writes as many: those need not be
// waited for. PEs that share a CPU find them in its cache.
inline double inline_cost(const setting& s, std::size_t payload, int posts) {
  if (payload > inline_limit(s)) return impossible;
  const double rest = payload > 48 ? static_cast<double>(payload - 48) : 0;
  const double reading = s.cpu_for_each ? lines(s, 0.6 * rest / cache_line) : copies(s, rest);
  // Who posts looks at every wake flag, too; with a CPU for each that is nobody's waiting time.
  return steps(s, 1) + lines(s, (s.cpu_for_each ? 1 : 2) * (posts - 1)) + posts * reading;
}

}  // namespace oshen::coll
