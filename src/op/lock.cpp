#include "op/lock.hpp"

#include <shmem.h>

#include <atomic>
#include <cstdint>

#include "op/other_node.hpp"
#include "op/order.hpp"
#include "world/idle.hpp"

namespace oshen::op {
namespace {

using transport::operation;

constexpr std::uint32_t turn = 0x80000000u;  // given by the PE before; stays until the lock is cleared
constexpr std::uint32_t held = 0x40000000u;  // found free
constexpr std::uint32_t has = turn | held;
constexpr int low = std::endian::native == std::endian::little ? 0 : 1;

// The lock as this PE sees it: its own entry, and everybody else's by number.
class queue {
 public:
  queue(call_site at, long* lock) : at_(at), lock_(lock) {
    static_assert(sizeof(long) == 8);
    if (reinterpret_cast<std::uintptr_t>(lock) % sizeof(long) != 0) misaligned(at, "lock", lock, sizeof(long));
    const context& c = *at.where;
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(lock) - c.heap < c.heap_bytes
                                      ? reinterpret_cast<std::uintptr_t>(lock) - c.heap
                                      : reinterpret_cast<std::uintptr_t>(lock) - c.data;
    const auto mixed = static_cast<std::uint32_t>(offset / sizeof(long) * 0x9e3779b1u);
    home_ = static_cast<int>(static_cast<std::uint64_t>(mixed) * c.n_pes >> 32);  // spreads the tails
    look_closer(at, "lock", lock, sizeof(long));
    me_ = c.home->pe;
  }

  std::uint32_t my_ticket() const { return static_cast<std::uint32_t>(me_) + 1; }
  // Changes half of the lock, on any PE, and wakes that PE; returns what was there.
  std::uint32_t change_tail(operation op, std::uint32_t value, std::uint32_t compare = 0) const {
    return change(home_, 1 - low, op, value, compare);
  }
  std::uint32_t change_entry(int pe, operation op, std::uint32_t value) const { return change(pe, low, op, value, 0); }
  std::atomic_ref<std::uint32_t> mine() const {
    return std::atomic_ref<std::uint32_t>(reinterpret_cast<std::uint32_t*>(lock_)[low]);
  }
  int n_pes() const { return static_cast<int>(at_.where->n_pes); }
  // Waiting for one's own entry.
  wait_info info(int pe = -1) const {
    const void* memory = byte_offset(lock_, own_slice(at_, "lock", lock_, sizeof(long)));
    return {.routine = at_.routine, .pe = pe, .memory = memory, .bytes = sizeof(long)};
  }
  world& home_world() const { return *at_.where->home; }
  const char* routine() const { return at_.routine; }
  long* address() const { return lock_; }
  call_site where() const { return at_; }

 private:
  std::uint32_t change(int pe, int which, operation op, std::uint32_t value, std::uint32_t compare) const {
    const transport::change what{op, transport::width::four, true, value, compare};
    return static_cast<std::uint32_t>(
        change_elsewhere(at_, "lock", reinterpret_cast<std::uint32_t*>(lock_) + which, what, pe));
  }

  call_site at_;
  long* lock_;
  int home_ = 0;
  int me_ = 0;
};

bool has_threads(const queue& q) { return q.home_world().thread_level == SHMEM_THREAD_MULTIPLE; }

[[noreturn, gnu::cold]] void already_held(const queue& q) {
  bad_argument(q.where(), "lock = %p: this PE has it already; a lock is cleared before it is set again",
               static_cast<void*>(q.address()));
}

[[noreturn, gnu::cold]] void not_a_lock(const queue& q) {
  bad_argument(q.where(), "lock = %p: its value is 0x%lx here, which no lock has: it must be 0 on all PEs before its "
               "first use, and is changed by locks only", static_cast<void*>(q.address()),
               static_cast<unsigned long>(*q.address()));
}

// A turn among the threads of this PE, before the PE queues.
void take_ticket(const queue& q) {
  if (!has_threads(q)) return;
  thread_tickets& tickets = q.home_world().tickets;
  if (tickets.is_mine(q.address())) already_held(q);
  const thread_tickets::ticket mine = tickets.take(q.address());
  const wait_info info{.routine = q.routine(), .pe = q.home_world().pe};
  wait_for(q.home_world(), info, [&] { return mine.is_served(); });
  mine.begin();
}

void check_entry(const queue& q, std::uint32_t entry) {
  if ((entry & ~has) > static_cast<std::uint32_t>(q.n_pes())) not_a_lock(q);
}

// With the turn of this PE: nobody of it has or awaits the lock.
void check_unused(const queue& q) {
  const std::uint32_t before = q.mine().load(std::memory_order_acquire);
  if (before == 0) [[likely]] return;
  check_entry(q, before);
  already_held(q);
}

// 0: this PE has the lock now; otherwise somebody's ticket.
std::uint32_t take_if_free(const queue& q) {
  if (const std::uint32_t entry = q.mine().load(std::memory_order_acquire); entry != 0)
    return check_entry(q, entry), q.my_ticket();
  q.mine().store(held, std::memory_order_relaxed);
  const std::uint32_t last = q.change_tail(operation::compare_swap, q.my_ticket(), 0);
  if (last != 0) q.mine().store(0, std::memory_order_relaxed);
  return last;
}

void leave_ticket(const queue& q) {
  if (!has_threads(q)) return;
  q.home_world().tickets.leave(q.address());
  wake(q.home_world().own_control().wakeup);
}

// Nobody writes into the entry of a PE that does not queue, nor once the PE behind it is known: plain stores do.
void leave_queue(const queue& q) {
  const auto is_followed = [&] { return (q.mine().load(std::memory_order_acquire) & ~has) != 0; };
  if (!is_followed()) {
    if (q.change_tail(operation::compare_swap, 0, q.my_ticket()) == q.my_ticket())
      return q.mine().store(0, std::memory_order_relaxed);
    // Somebody has taken the place behind us and is about to say who it is.
    const wait_info info = q.info();
    wait_for(q.home_world(), info, is_followed);
  }
  const int next = static_cast<int>(q.mine().load(std::memory_order_relaxed) & ~has) - 1;
  q.change_entry(next, operation::bit_or, turn);
  q.mine().store(0, std::memory_order_relaxed);  // its cache line would hold the next one up
}

}  // namespace

void set_lock(call_site at, long* lock) {
  const queue q(at, lock);
  take_ticket(q);
  check_unused(q);
  q.mine().store(held, std::memory_order_relaxed);  // before anybody can come behind us
  const std::uint32_t previous = q.change_tail(operation::swap, q.my_ticket());
  if (previous == 0) return;
  if (previous > static_cast<std::uint32_t>(q.n_pes())) not_a_lock(q);
  q.mine().fetch_and(~held, std::memory_order_relaxed);
  const int before = static_cast<int>(previous) - 1;
  q.change_entry(before, operation::bit_or, q.my_ticket());  // its turn bit may be set meanwhile
  const wait_info info = q.info(before);
  wait_for(q.home_world(), info, [&] { return (q.mine().load(std::memory_order_acquire) & turn) != 0; });
}

int test_lock(call_site at, long* lock) {
  const queue q(at, lock);
  if (has_threads(q) && !q.home_world().tickets.take_if_free(q.address())) {
    give_way(q.home_world(), lock, 0);
    return 1;
  }
  const std::uint32_t last = take_if_free(q);
  if (last == 0) {
    give_way_no_more(q.home_world());
    return 0;
  }
  if (last > static_cast<std::uint32_t>(q.n_pes())) not_a_lock(q);
  leave_ticket(q);
  give_way(q.home_world(), lock, last);
  return 1;
}

void clear_lock(call_site at, long* lock) {
  quiet_before_atomic(at);
  const queue q(at, lock);
  if ((q.mine().load(std::memory_order_relaxed) & has) == 0)
    bad_argument(at, "lock = %p: this PE does not have it; a lock is cleared by the PE that has set it",
                 static_cast<void*>(lock));
  leave_queue(q);
  leave_ticket(q);
}

}  // namespace oshen::op
