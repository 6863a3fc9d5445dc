// Moves the results of one stage to the array from which the next stage reads, if that is another array.
//
// A move is one such step of a route. The forward and the backward route share one backend, which numbers their moves
// consecutively. There are two backends: passes write straight into the arrays of other PEs (shared_backend.cpp), or an
// exchange plan moves the data (plan_backend.cpp).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "fft/passes/pass.hpp"
#include "oshen/exchange.h"

namespace oshen::fft {

struct move {
  layout written, read;       // as in the step
  std::size_t element;        // bytes
  std::size_t from_distance;  // between fields on this PE, in bytes
  bool swaps;                 // goes to the work arrays that the previous move did not use
};

// All moves of a transform.
struct move_set {
  std::vector<move> moves;
  std::vector<int> partners;  // PEs to sync with, the same for all routes so that syncs are counted together
  bool ends_local = true;     // after the last sync of a run no PE reads another PE's array
};

class move_backend {
 public:
  virtual ~move_backend() = default;

  // Called before the pass that writes for the move. From then on, addresses of earlier moves are invalid.
  virtual void begin(int move) = 0;
  // Where that pass writes on a PE, and where the next pass reads.
  virtual array_view target(int move, int pe) const = 0;
  virtual array_view source(int move, int pe) const = 0;
  // Whether a pass that only copies can be left out: the move then reads the source of that pass.
  virtual bool copies() const = 0;

  // Announces the caller's output of a run to the partners, with the next sync. Returns false if they cannot reach it.
  virtual bool offer(std::byte* output) = 0;
  virtual std::byte* offered(int pe) const = 0;

  // Starts a sync, after the pass of a move or after a pass in place. `from` is the source of that pass; it is read
  // only if copies() is true and the pass only copies.
  virtual void send(int move, bool copied_only, const_array_view from) = 0;
  // Whether the sync is complete; and waits until it is.
  virtual bool test(int move) = 0;
  virtual void wait(int move) = 0;

  // Whether PEs sync before the first pass of a run and after the last one, because the work arrays also serve others.
  virtual bool syncs_first() const { return false; }
  virtual bool syncs_last() const { return false; }

  // Seconds of all moves.
  struct times {
    double exchange = 0;  // packing, sending, unpacking
    double wait = 0;
  };
  virtual times spent() const = 0;

  // No PE will read or write the arrays again, so the destructor need not sync.
  virtual void peers_are_done() {}

  virtual std::size_t symmetric_bytes() const = 0;
  virtual std::size_t ordinary_bytes() const = 0;
  virtual const char* name() const = 0;
};

// Work memory of the caller, which it may use for other purposes between runs; null: none.
struct lent_memory {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
};

// The symmetric work arrays of the shared backend.
struct work_arrays {
  int count = 1;
  std::size_t bytes = 0;  // of one

  std::size_t all() const;                     // with alignment
  static std::size_t flag_bytes(int members);  // symmetric memory besides the work arrays
};
work_arrays shared_arrays(const std::vector<move>& moves, int me, int fields);

// The private buffers of the plan backend.
struct plan_buffers {
  std::size_t packed = 0, received = 0;  // bytes

  std::size_t all() const;
};
plan_buffers planned_buffers(const std::vector<move>& moves, int me, int fields);

// Uses work arrays that all partners read and write. Collective. Returns null with a status:
// - OSHEN_UNSUPPORTED: a partner of any PE is out of reach of shmem_ptr.
// - OSHEN_NO_SPACE: the arena or the lent memory is too small.
// - OSHEN_INVALID: the lent memory is not symmetric.
std::unique_ptr<move_backend> make_shared_backend(oshen_group_t* group, const move_set& set, int fields,
                                                  const lent_memory& lent, oshen_status_t* status);

// Uses exchange plans of a strategy (null: the first). Collective. Returns null with a status.
std::unique_ptr<move_backend> make_plan_backend(oshen_group_t* group, std::vector<move> moves, int fields,
                                                const char* strategy, const lent_memory& lent, oshen_status_t* status);

}  // namespace oshen::fft
