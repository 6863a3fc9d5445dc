// One non-blocking collective on one PE: a short list of steps. Each step advances as far as it can without waiting
// (design/collectives.md, "Non-blocking collectives").
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "coll/collective.hpp"

namespace oshen::coll::async {

// The PEs of a team that an operation has handled, as distances from this PE round the team. It handles them roughly in
// this order: a late PE delays only those at least 64 places behind it. So the memory is constant for any team size.
class visits {
 public:
  static constexpr int window = 64;

  // The next distance (0: this PE) that is not marked and for which `ready(distance)` is true; -1 if there is none now.
  template <class Ready>
  int next(int n_pes, Ready ready) const {
    const int end = first_ + window < n_pes ? first_ + window : n_pes;
    for (int distance = first_; distance < end; ++distance)
      if (!marked(distance) && ready(distance)) return distance;
    return -1;
  }
  // `distance` came from next().
  void mark(int distance) {
    marks_ |= std::uint64_t{1} << (distance - first_);
    const int done = std::countr_one(marks_);
    marks_ = done < window ? marks_ >> done : 0;
    first_ += done;
  }
  bool all(int n_pes) const { return first_ >= n_pes; }
  // The distance of the first unmarked PE, for which the operation waits.
  int first() const { return first_; }

 private:
  bool marked(int distance) const { return (marks_ >> (distance - first_) & 1) != 0; }

  int first_ = 0;            // All distances before it are marked.
  std::uint64_t marks_ = 0;  // Bit i: first_ + i is marked.
};

struct queue;
struct collective_operation;

enum class step_result : std::uint8_t {
  over,   // The step is complete, and the next one can begin.
  moved,  // The step has advanced; other operations and the caller get their turn.
  waits   // The step waits for PE `awaited`.
};
using step = step_result (*)(queue& q, collective_operation& op);

inline constexpr int most_steps = 6;
struct schedule {
  step in_order[most_steps + 1];  // ends with a null pointer
};

struct collective_operation {
  collective_call call;
  kind collective;
  std::uint64_t number = 0;  // counts the non-blocking collectives of the team
  const step* next = nullptr;
  std::size_t inline_bytes = 0;  // bytes of source that travel with the request flag

  // The progress of the current step.
  visits seen{};
  int current = -1;       // The distance of the PE whose bytes are being moved.
  std::size_t moved = 0;  // The bytes that have been moved; for a reduction, the elements.
  int awaited = -1;       // PE of the world; -1: no particular one.
};

// Sets the schedule of this PE. Small contributions travel with the request flags.
void plan(collective_operation& op);

}  // namespace oshen::coll::async
