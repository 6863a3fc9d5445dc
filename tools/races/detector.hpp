// The detector of one PE: what it knows, and its accesses to the shadow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "calls.h"
#include "loans.hpp"
#include "private.hpp"
#include "region.hpp"
#include "threads.hpp"

namespace races {

// An address in the symmetric memory of a PE, or in its private memory, or none.
struct location {
  int pe = -1;
  std::size_t offset = 0;  // in private memory: the address
  bool is_private = false;
  explicit operator bool() const { return pe >= 0; }
};

// Two accesses that race, and where.
struct race {
  location where;
  access before, now;
  explicit operator bool() const { return before.clock != 0; }
};

// Memory that a non-blocking collective uses on this PE.
struct lent_range {
  const void* start;
  std::size_t bytes;
  bool writes;
  std::uint32_t clock, kind;
};

struct release_call {
  std::uint32_t site = 0;
  channel puts = channel::put;  // channel::context: on another context
  bool carries_data = false;    // a put with signal
  bool has_value = false;       // the flag becomes `value`
  std::int64_t value = 0;
};

struct awaited {
  int comparison;  // SHMEM_CMP_...
  std::int64_t value;
  bool holds_for(std::int64_t flag) const;
};

class detector {
 public:
  bool active() const { return active_; }
  std::uint32_t me() const { return me_; }
  std::uint32_t clock() const { return clock_.load(std::memory_order_relaxed); }
  std::uint32_t pes() const { return pes_; }
  const region& shared() const { return region_; }
  const knowledge& own() const { return this_thread().own; }
  completions& done() const { return *this_thread().done; }
  spin_lock& mutex() { return mutex_; }

  void start();
  void stop();
  void leave();  // nothing is checked any more; does not wait for other PEs

  location find(const void* address) const;             // own memory, and that of peers through shmem_ptr
  location find_local(const void* address) const;       // the same, and private memory while threads may share it
  location find_at(const void* address, int pe) const;  // a symmetric address, on PE `pe`

  // A load or store of the program.
  void touch(const void* address, std::size_t bytes, bool writes, std::uint32_t routine, const void* caller);
  // The same for bytes of one cell in the symmetric memory of this PE; `bytes`: a bit for each; `kind`: of plain_kind.
  void touch_cell(std::size_t offset, std::uint32_t bytes, std::uint32_t kind) const;
  std::uint32_t plain_kind(std::uint32_t site, bool writes) const {
    return region_.number_of(made({.site = site, .writes = writes, .stores = writes}, 0), me_);
  }
  void check(location where, std::size_t bytes, const operation& what);
  // The local buffer of a non-blocking operation: in use until a quiet.
  void lend(const void* address, std::size_t bytes, const operation& what);
  // After the last buffer of an operation.
  void end_lending();
  // Symmetric memory for a non-blocking collective: in use until it is complete.
  lent_range lend_until_complete(const void* address, std::size_t bytes, std::uint32_t site, bool writes);
  void end_loan(const lent_range& range);
  void forget(location where, std::size_t bytes);
  bool has_private() const { return !private_.is_empty(); }
  void forget_private(std::uintptr_t start, std::size_t bytes);
  // A wait of this PE for an object of this type: other PEs may not change it by atomics of another type.
  void check_wait(location where, std::size_t bytes, const operation& what);

  // `puts`: channel::put for the default context, channel::context for others.
  void fence(channel puts);
  void quiet(channel puts);
  void quiet_of(channel puts, std::uint32_t target);
  // The sources of puts may be changed; the puts are not delivered.
  void quiet_local(channel puts);
  void release(location flag, std::size_t bytes, const release_call& call);
  void acquire(location flag, std::size_t bytes);
  // A wait or test that found "flag comparison value" true.
  void acquire_when(location flag, std::size_t bytes, const awaited& condition);
  void acquire_at_quiet(location flag, std::size_t bytes, channel puts);
  // Threads of this PE tell each other: joins what this thread knows and did into `object`.
  void tell(thread_knowledge& object);

  // Around the exchange of a collective.
  void publish(std::uint32_t site);
  void learn_from(std::uint32_t pe);

  // Decides which addresses loads and stores are watched at.
  void watch() const;

  extent heap() const { return heap_; }
  extent statics() const { return statics_; }

 private:
  // A flag that the result of a non-blocking atomic tells of, at the quiet. Equal ones are one.
  struct fetch {
    int pe;
    std::size_t offset, bytes;
    channel puts;
    auto operator<=>(const fetch&) const = default;
  };
  static constexpr std::size_t most_fetches = 1 << 16;
  access made(const operation& what, std::uint32_t bytes) const;
  bool is_known(const access& before) const;
  bool ordered(const access& before, const access& now, bool fenced) const;
  bool is_released_source(const access& before, location where) const;
  bool ordered_in_pe(const access& before, const access& now, bool fenced) const;
  bool share_lock(const access& before, const access& now) const;
  void visit(cell& c, location where, const access& now, std::uint32_t kind, bool fenced, race& found) const;
  void visit_block(location where, std::size_t bytes, access now, std::uint32_t kind, bool fenced, race& found) const;
  bool is_repeated_private(const void* address, std::size_t bytes, bool writes) const;
  void check_private(std::uintptr_t start, std::size_t bytes, const operation& what);
  void check_loans(std::uintptr_t start, std::size_t bytes, const operation& what);
  void arrived(location flag, std::size_t bytes);
  void enter_present(const thread_state& thread) const;
  void tick();
  void say_last_clock();
  void end_loans(channel puts, std::uint32_t target);
  template <class Use>
  void each_slot(location flag, std::size_t bytes, Use use);
  bool learn_first(std::uint32_t slot, std::uint64_t key, const awaited& condition);
  bool open_region();
  void find_peers();
  bool active_ = false;
  std::uint32_t me_ = 0, pes_ = 1;
  static constexpr std::uint32_t last_clock = UINT32_MAX;
  std::atomic<std::uint32_t> clock_ = 1;  // of all threads
  std::atomic<bool> said_last_ = false;
  extent statics_, heap_;
  region region_;
  spin_lock mutex_;
  loans loans_;
  std::set<fetch> fetches_;
  private_memory private_;
  struct peer_area {
    std::uintptr_t start;
    std::size_t bytes, offset;
    int pe;
  };
  std::vector<peer_area> peers_;  // sorted by start
};

extern detector of_this_pe;

// The addresses at which a load or store may matter: the statics, and a range with the heap and the memory of peers. It
// is everything while a private buffer is lent. The test takes two comparisons and one branch.
struct watched_addresses {
  extent statics, shared, heap;
  const cell* cells;  // the shadow of this PE
  bool contain(const void* address) const {
    const auto a = reinterpret_cast<std::uintptr_t>(address);
    int in_statics = a - statics.start < statics.bytes, in_shared = a - shared.start < shared.bytes;
    asm("" : "+r"(in_statics), "+r"(in_shared));  // keeps compilers from making two branches of it
    return (in_statics | in_shared) != 0;
  }
};
extern watched_addresses watched;

}  // namespace races
