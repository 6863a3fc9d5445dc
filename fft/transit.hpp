// How the results of a stage get to where the next one reads them, when that is another array.
//
// A move is one such step of a route. The moves of a forward and a backward route belong to one
// transit, numbered one after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "oshen/exchange.h"
#include "pass.hpp"

namespace oshen::fft {

struct move {
  layout written, read;       // as in the step
  std::size_t element;        // bytes
  std::size_t from_distance;  // between fields on this PE, in bytes
  bool swaps;                 // into the work arrays that the last move did not use
};

class transit {
 public:
  virtual ~transit() = default;

  // Before the pass that writes for the move; places of earlier moves are no longer asked for.
  virtual void begin(int move) = 0;
  // Where that writes on a PE, and where the next one reads.
  virtual array_view target(int move, int pe) const = 0;
  virtual array_view source(int move, int pe) const = 0;
  // A pass that only copies is left out: the move reads from where the pass would have.
  virtual bool copies() const = 0;

  // The caller's output of a run, told to others with the next sync; false: they cannot reach
  // it.
  virtual bool offer(std::byte* output) = 0;
  virtual std::byte* offered(int pe) const = 0;

  // A sync, after the pass of a move or one in place; `from` is its source, read only if
  // copies() and the pass copies only.
  virtual void send(int move, bool copied_only, const_array_view from) = 0;
  // All that this PE waits for is there.
  virtual bool test(int move) = 0;
  virtual void wait(int move) = 0;

  // Whether PEs meet before the first pass of a run and after the last one: where others work in this memory too.
  virtual bool meets_first() const { return false; }
  virtual bool meets_last() const { return false; }

  virtual std::size_t symmetric_bytes() const = 0;
  virtual std::size_t ordinary_bytes() const = 0;
  virtual const char* name() const = 0;
};

// Memory of the caller, which is there between runs for others; none: null.
struct lent_memory {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
};

// What a PE's moves need: work arrays that all partners read and write, or buffers of its own beside exchange plans.
struct work_arrays {
  int count = 1;
  std::size_t bytes = 0;  // of one

  std::size_t all() const;  // with what aligns them
};
work_arrays shared_arrays(const std::vector<move>& moves, int me, int fields);
struct plan_buffers {
  std::size_t packed = 0, received = 0;  // bytes

  std::size_t all() const;
};
plan_buffers planned_buffers(const std::vector<move>& moves, int me, int fields);

// In work arrays that all partners read and write. at_home: after the last sync of a run nobody
// reads another's; else PEs meet once more at the end. Collective; null if some PE cannot reach a
// partner, or, then with OSHEN_NO_SPACE, if the arena is too full.
std::unique_ptr<transit> make_shared(oshen_group_t* group, std::vector<move> moves,
                                     std::vector<int> partners, bool at_home, int fields,
                                     const lent_memory& lent, oshen_status_t* status);

// By exchange plans of a strategy (null: the first). Collective; null with a status.
std::unique_ptr<transit> make_planned(oshen_group_t* group, std::vector<move> moves, int fields,
                                      const char* strategy, const lent_memory& lent, oshen_status_t* status);

}  // namespace oshen::fft
