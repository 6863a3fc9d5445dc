// Which PEs of the team an operation has dealt with. They are taken in the order of the ring, from this PE on, but a
// late one holds up only those that come more than 64 after it: constant memory, however large the team is.
#pragma once

#include <bit>
#include <cstdint>

namespace oshen::coll::async {

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

  int first_ = 0;             // all before it are marked
  std::uint64_t marks_ = 0;   // bit i: first_ + i
};

}  // namespace oshen::coll::async
