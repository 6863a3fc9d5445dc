// What happens before what in one order of the steps, and which steps touch the same memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "entry.hpp"

namespace explore {

// A thread of a PE (number 0), or an operation in flight, numbered by the thread that started it. The names are the
// same in every order with the same beginning.
struct actor {
  int pe = 0;
  int thread = 0;  // 0: the one that runs main; others in the order of their creation
  std::uint32_t number = 0;
  bool is_program() const { return number == 0; }
  std::size_t slot() const { return slot_of(pe, thread); }
  friend auto operator<=>(const actor&, const actor&) = default;
};

enum class access : std::uint8_t {
  plain,
  atomic,   // of OpenSHMEM
  waits,    // a wait or test: races with nothing
  language  // an atomic of C or C++: races with nothing
};

struct memory_use {
  int pe;  // or a space without memory
  std::uint64_t begin, end;
  bool writes;
  int commutes;  // two changes with the same number other than 0 may change places
  access how = access::plain;
  bool learns = false, tells = false;  // an acquire, a release
};
// Locks of OpenSHMEM; mutexes and the like of the threads of a PE; contexts of a PE, which its threads share.
inline constexpr int lock_space = -1;
constexpr int thread_space(int pe) { return lock_space - 1 - pe; }
constexpr int context_space(int pe) { return thread_space(most_pes) - pe; }
constexpr bool is_memory(int space) { return space >= 0; }
// Of the use of memory by granules of 8 bytes.
constexpr std::uint64_t cell_of(int space, std::uint64_t granule) {
  return granule * 32 + static_cast<std::uint64_t>(space - context_space(most_pes));
}
using footprint = std::vector<memory_use>;
bool conflict(const memory_use& a, const memory_use& b);
bool conflict(const footprint& a, const footprint& b);
// Whether the two need an order by the memory model of OpenSHMEM.
bool can_race(const memory_use& a, const memory_use& b);

// Of each thread, how many of its steps are known; of the operations in flight, those that are known to be done.
struct knowledge {
  std::vector<std::uint32_t> steps;  // by slot
  std::vector<std::uint64_t> done;
  bool knows_done(std::size_t operation) const {
    return operation / 64 < done.size() && (done[operation / 64] >> operation % 64 & 1) != 0;
  }
  std::uint32_t steps_of(std::size_t slot) const { return slot < steps.size() ? steps[slot] : 0; }
  void add_steps(std::size_t slot, std::uint32_t n) {
    if (steps.size() <= slot) steps.resize(slot + 1);
    steps[slot] = std::max(steps[slot], n);
  }
  void add_done(std::size_t operation) {
    if (done.size() <= operation / 64) done.resize(operation / 64 + 1);
    done[operation / 64] |= std::uint64_t{1} << operation % 64;
  }
  void join(const knowledge& other);
};
using known = std::shared_ptr<const knowledge>;

struct event {
  actor who;
  std::uint32_t position = 0;    // of a program's step in the program
  std::size_t operation = none;  // of an operation in flight: its index in this order
  footprint uses;

  known before;   // what it knows, beside itself
  known ordered;  // the same without what only this order puts before it; for races

  std::size_t stop = 0;  // index of the event at which the scheduler last chose

  entry said;               // the entry of a program's step, or the one that started the operation
  std::uint64_t value = 0;  // that was read or written, in value_bytes; 0: it is long or unknown
  std::uint8_t value_bytes = 0;
  int stage = 0;  // of an operation: what it did, for reports
  static constexpr std::size_t none = ~std::size_t{0};
};

bool happens_before(const event& a, const event& b);
// The same by the memory model: by calls that synchronise.
bool is_ordered(const event& a, const event& b);
// Adds an event and `what` it knows.
void join(knowledge& into, const event& e, known event::* what = &event::before);

// The steps of one order.
class history {
 public:
  void clear();
  std::size_t size() const { return events_.size(); }
  const event& operator[](std::size_t i) const { return events_[i]; }
  // Adds an event that knows `before` without the memory that it uses. Returns the earlier events in conflict with it.
  std::vector<std::size_t> add(event e);
  std::vector<std::size_t> in_conflict(const footprint& uses) const;
  void learn(std::size_t i, known before) { events_[i].before = std::move(before); }
  void set_value(std::size_t i, std::span<const std::byte> bytes);
  const std::vector<event>& all() const { return events_; }
  // The latest event before which memory was changed, as an index + 1; 0: never.
  std::size_t last_write(int pe, std::uint64_t begin, std::uint64_t end) const;

 private:
  struct use {
    std::size_t at;
    memory_use memory;
  };
  bool is_superseded(const use& old, const event& e, const memory_use& mine) const;
  std::vector<event> events_;
  std::unordered_map<std::uint64_t, std::vector<use>> cells_;  // by granules of 8 bytes
};

}  // namespace explore
