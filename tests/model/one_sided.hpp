// PEs that run real code over a modelled OpenSHMEM: its puts become visible as late, and in any order, as the standard
// permits.
//
// A put is pending from its call until the search makes it visible. A fence orders the puts of one PE to another. A
// signal follows its data. A quiet waits until no put of the PE is pending. A blocking put copies its source at once; a
// non-blocking one reads it when it becomes visible. With `mapped`, shmem_ptr reaches the other PEs, and a store to
// their memory is a pending put too; the PE itself sees it at once.
//
// A PE runs from one call that can observe other PEs to the next (test, wait, quiet, get, sched_yield). In between it
// only calls functions and uses its own memory. So other PEs need to run only there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "explorer.hpp"
#include "pe_fiber.hpp"

namespace oshen::model {

// The next action of a parked PE.
enum class call : std::uint8_t {
  go_on,
  test,
  wait,   // until one of `flags` has its value
  quiet,  // until it has no pending put
  get,
  yield,  // until its memory differs from that of the last yield
  meet,   // until all PEs are there
  explore,
  finished
};

struct flag_condition {
  std::size_t offset;
  std::uint64_t least;
};

struct parked_call {
  call what = call::go_on;
  std::vector<flag_condition> flags;
};

struct pending_put {
  int source, target;
  std::uint32_t epoch;  // number of the source's fences before it
  std::uint64_t serial;
  std::uint64_t follows;  // serial of the data that a signal follows; 0: none
  std::size_t offset;
  std::shared_ptr<const std::vector<std::byte>> bytes;  // null: read from `late` when it becomes visible
  const std::byte* late;
  std::size_t length;
  bool is_store;  // through shmem_ptr
};

// A state of all PEs, which shares unchanged images with its predecessor.
struct one_sided_state {
  struct pe {
    image_ptr memory;     // private
    image_ptr symmetric;  // as others see it
    parked_call next;
    std::uint32_t epoch = 0;
    fingerprint polled{0, 0};  // its symmetric memory at its last yield
    int meetings = 0;
  };
  std::vector<pe> pes;
  std::vector<pending_put> pending;  // by source, in the order of their calls
  std::uint64_t serials = 0;
};

struct one_sided_program {
  int pes = 2;
  bool mapped = false;
  // Whether other PEs may run before each test of a flag. Otherwise tests between two other calls see one moment, which
  // makes programs of three PEs small enough.
  bool parks_to_test = true;
  std::size_t heap_bytes = 4096;
  // Each PE runs this. Before explore_from_here() one order of steps is taken, which makes arenas and plans.
  std::function<void(int me)> body;
  // Called on the PE when it parks: sets what does not matter, such as statistics, to fixed values. May be empty.
  std::function<void(int me)> forget;
};

// Visits every state. `most_states`: a program that has more is too large to be a test.
finding explore(const one_sided_program& program, std::size_t most_states = 100000);

// ---- for the body of a PE

// The search begins when all PEs are here and no put is pending.
void explore_from_here();
// Reports a defect, which ends the search.
void fail(const std::string& what);

// ---- for the modelled calls (shmem_model.cpp)

class one_sided_machine {
 public:
  explicit one_sided_machine(const one_sided_program& program);
  ~one_sided_machine();
  one_sided_machine(const one_sided_machine&) = delete;
  one_sided_machine& operator=(const one_sided_machine&) = delete;

  static one_sided_machine& current();

  int me() const { return me_; }
  int n_pes() const { return program_.pes; }
  bool mapped() const { return program_.mapped; }
  bool parks_to_test() const { return program_.parks_to_test; }
  bool has_pending() const;  // of the running PE
  std::byte* heap(int pe) { return heaps_[0].bytes + static_cast<std::size_t>(pe) * program_.heap_bytes; }
  std::size_t offset_of(const void* address);
  void* allocate(std::size_t bytes);

  // Returns the serial of the put.
  std::uint64_t put(std::size_t offset, const void* from, std::size_t n, int pe, std::uint64_t follows = 0);
  void put_late(std::size_t offset, const void* from, std::size_t n, int pe);
  void fence();
  void park(const parked_call& next);
  void get(void* to, std::size_t offset, std::size_t n, int pe);
  void trouble(const std::string& what);

  // ---- for the search
  struct step {
    int pe;
    std::size_t put;  // its index, or none
  };
  static constexpr std::size_t none = ~std::size_t{0};

  one_sided_state begin();
  std::vector<step> possible(const one_sided_state& s) const;
  void apply(one_sided_state& s, const step& next);
  std::string describe(const one_sided_state& s, const step& next) const;
  const std::string& found() const { return trouble_; }

 private:
  struct alignas(64) cache_line {
    std::byte bytes[64];
  };

  bool enabled(const one_sided_state& s, int pe) const;
  bool deliverable(const one_sided_state& s, std::size_t put) const;
  void deliver(one_sided_state& s, std::size_t put);
  void run(one_sided_state& s, int pe);
  void enter(const one_sided_state& s, int pe);
  [[gnu::noinline]] void note_call(const parked_call& next);
  void collect_stores();
  pending_put& add_pending(int target, std::size_t offset, std::size_t n);

  const one_sided_program& program_;
  std::vector<cache_line> heaps_;
  std::vector<std::byte> overlay_;  // the heaps as the running PE last saw them
  std::vector<std::unique_ptr<pe_fiber>> fibers_;
  std::vector<std::function<void()>> bodies_;
  std::vector<std::size_t> allocated_;
  one_sided_state* state_ = nullptr;  // of the running PE
  int me_ = -1;
  std::string trouble_;
};

fingerprint fingerprint_of(const one_sided_state& s);

}  // namespace oshen::model
