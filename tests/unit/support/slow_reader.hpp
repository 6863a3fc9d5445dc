// A PE that reads late what has come: between a flag and what the PE does then lies a nap. Whoever may send one piece
// more than there is room for then writes over one that has not been read.
#pragma once

#include <atomic>

#include "coll/protocol/observer.hpp"
#include "os/process.hpp"

namespace oshen::testing {

struct slow_reader : coll::observer {
  slow_reader() : observer{nap} {}
  std::atomic<int> naps{0};

 private:
  // Not all PEs at once: somebody has to be early.
  static void nap(observer& self, const team& t, coll::event what, int, std::size_t) {
    auto& mine = static_cast<slow_reader&>(self);
    if (what != coll::event::heard || (++mine.events_ + t.my_pe) % 3 != 0) return;
    ++mine.naps;
    os::nap(300000);
  }
  std::atomic<int> events_{0};
};

}  // namespace oshen::testing
