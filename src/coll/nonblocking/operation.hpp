// One non-blocking collective on one PE: a short list of steps, each of which goes as far as it can without waiting
// (design/collectives.md, "Non-blocking collectives").
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "coll/collective.hpp"

namespace oshen::coll::async {

// Which PEs of the team an operation has dealt with. They are taken in the order of the ring, from this PE on, but a
// late one holds up only those that come more than 64 after it: constant memory, however large the team is.
class visits {
 public:
  static constexpr int window = 64;

  // The next distance (0: this PE) that is not marked and for which `ready(distance)` holds; -1: none now.
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
  // Where the first gap is: whom the operation waits for.
  int first() const { return first_; }

 private:
  bool marked(int distance) const { return (marks_ >> (distance - first_) & 1) != 0; }

  int first_ = 0;            // all before it are marked
  std::uint64_t marks_ = 0;  // bit i: first_ + i
};

struct queue;
struct operation;

enum class outcome : std::uint8_t {
  over,   // the next step can begin
  moved,  // enough for now: other operations and the caller have their turn
  waits   // for PE `awaited` of the team
};
using step = outcome (*)(queue& q, operation& op);

inline constexpr int most_steps = 5;
struct schedule {
  step steps[most_steps + 1];  // ends with a null pointer
};

struct operation {
  collective_call call;
  kind collective;
  std::uint64_t number = 0;  // counts the non-blocking collectives of the team
  const step* next = nullptr;
  std::size_t inline_bytes = 0;  // bytes of source that travel with the request flag

  // How far the present step has come.
  visits seen{};
  int current = -1;       // distance of the PE whose bytes are being moved
  std::size_t moved = 0;  // of them
  int awaited = -1;
};

// Fills in how this PE takes part in the collective: small contributions travel with the request flags.
void plan(operation& op);

}  // namespace oshen::coll::async
