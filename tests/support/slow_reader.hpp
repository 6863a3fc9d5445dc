// A PE that reads late: it sleeps between seeing a flag and acting on it. A sender that may send one chunk more than
// the receiver has space for then overwrites a chunk that has not been read.
#pragma once

#include <atomic>

#include "coll/shared_memory/peer_memory.hpp"
#include "os/process.hpp"

namespace oshen::testing {

struct slow_reader : coll::observer {
  slow_reader() : observer{nap} {}
  std::atomic<int> naps{0};

 private:
  // Only some PEs sleep at a time, because some PE has to be early.
  static void nap(observer& self, const team& t, coll::event what, int, std::size_t) {
    auto& mine = static_cast<slow_reader&>(self);
    if (what != coll::event::received || (++mine.events_ + t.my_pe) % 3 != 0) return;
    ++mine.naps;
    os::nap(300000);
  }
  std::atomic<int> events_{0};
};

}  // namespace oshen::testing
