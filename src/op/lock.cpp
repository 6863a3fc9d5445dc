#include "op/lock.hpp"

#include <shmem.h>

#include <atomic>
#include <cstdint>

#include "op/order.hpp"
#include "op/slow_path.hpp"
#include "wait/backoff.hpp"

namespace oshen::op {
namespace {

using transport::operation;

constexpr std::uint32_t turn = 0x80000000u;  // set by the previous PE of the queue; stays until the lock is cleared
constexpr std::uint32_t held = 0x40000000u;  // this PE found the lock free
constexpr std::uint32_t has = turn | held;
constexpr int low = std::endian::native == std::endian::little ? 0 : 1;

// A lock needs its object on all PEs of the job.
[[gnu::cold, gnu::noinline]] void check_lock(call_site at, const long* lock) {
  check_symmetric(at, "lock", lock, sizeof *lock);
  const context& c = *at.ctx;
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(lock) - c.heap_start;
  if (offset < c.cpu_bytes && offset >= c.home->segment.plan().heap_bytes)
    bad_argument(at, "lock = %p: memory of a team; expected an object that all PEs have",
                 static_cast<const void*>(lock));
}

// A PE's access to the queue of a lock: its own entry, the entries of other PEs, and the tail.
class lock_queue {
 public:
  lock_queue(call_site at, long* lock) : at_(at), object_(lock) {
    static_assert(sizeof(long) == 8);
    if (reinterpret_cast<std::uintptr_t>(lock) % sizeof(long) != 0) misaligned(at, "lock", lock, sizeof(long));
    const context& c = *at.ctx;
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(lock) - c.heap_start < c.heap_bytes
                                      ? reinterpret_cast<std::uintptr_t>(lock) - c.heap_start
                                      : reinterpret_cast<std::uintptr_t>(lock) - c.data_start;
    const auto mixed = static_cast<std::uint32_t>(offset / sizeof(long) * 0x9e3779b1u);
    home_pe_ = static_cast<int>(static_cast<std::uint64_t>(mixed) * c.n_pes >> 32);  // spreads locks over the PEs
    check_lock(at, lock);
    me_ = c.home->pe;
  }

  std::uint32_t my_ticket() const { return static_cast<std::uint32_t>(me_) + 1; }
  // Apply an atomic operation to one half of the lock on a PE, wake that PE, and return the old value.
  std::uint32_t change_tail(operation op, std::uint32_t value, std::uint32_t compare = 0) const {
    return change(home_pe_, 1 - low, op, value, compare);
  }
  std::uint32_t change_entry(int pe, operation op, std::uint32_t value) const { return change(pe, low, op, value, 0); }
  std::atomic_ref<std::uint32_t> mine() const {
    return std::atomic_ref<std::uint32_t>(reinterpret_cast<std::uint32_t*>(object_)[low]);
  }
  int n_pes() const { return static_cast<int>(at_.ctx->n_pes); }
  // Describes a wait for this PE's own entry.
  wait_info info(int pe = -1) const {
    const void* memory = byte_offset(object_, own_slice(at_, "lock", object_, sizeof(long)));
    return {.routine = at_.routine, .pe = pe, .object = memory, .bytes = sizeof(long)};
  }
  world& home() const { return *at_.ctx->home; }
  const char* routine() const { return at_.routine; }
  long* address() const { return object_; }
  call_site site() const { return at_; }

 private:
  std::uint32_t change(int pe, int half, operation op, std::uint32_t value, std::uint32_t compare) const {
    const transport::atomic_op atomic{op, transport::width::four, true, value, compare};
    return static_cast<std::uint32_t>(
        cpu_atomic(at_, "lock", reinterpret_cast<std::uint32_t*>(object_) + half, atomic, pe));
  }

  call_site at_;
  long* object_;
  int home_pe_ = 0;
  int me_ = 0;
};

bool has_threads(const lock_queue& q) { return q.home().thread_level == SHMEM_THREAD_MULTIPLE; }

[[noreturn, gnu::cold]] void already_held(const lock_queue& q) {
  bad_argument(q.site(), "lock = %p: this PE holds it already; it must be cleared before it is set again",
               static_cast<void*>(q.address()));
}

[[noreturn, gnu::cold]] void not_a_lock(const lock_queue& q) {
  bad_argument(
      q.site(),
      "lock = %p: its value 0x%lx is not that of a lock; a lock must be 0 on all PEs before its first use, and "
      "only lock routines may change it",
      static_cast<void*>(q.address()), static_cast<unsigned long>(*q.address()));
}

// Waits for the calling thread's turn among the threads of this PE, before the PE joins the queue.
void take_ticket(const lock_queue& q) {
  if (!has_threads(q)) return;
  thread_tickets& tickets = q.home().tickets;
  if (tickets.is_mine(q.address())) already_held(q);
  const thread_tickets::ticket mine = tickets.take(q.address());
  const wait_info info{.routine = q.routine(), .pe = q.home().pe};
  wait_for(q.home(), info, [&] { return mine.is_served(); });
  mine.begin();
}

void check_entry(const lock_queue& q, std::uint32_t entry) {
  if ((entry & ~has) > static_cast<std::uint32_t>(q.n_pes())) not_a_lock(q);
}

// Called in the turn of this thread: no other thread of this PE holds or awaits the lock.
void check_unused(const lock_queue& q) {
  const std::uint32_t before = q.mine().load(std::memory_order_acquire);
  if (before == 0) [[likely]]
    return;
  check_entry(q, before);
  already_held(q);
}

// Returns 0 if this PE holds the lock now; otherwise the ticket of the last PE in the queue, or this PE's own ticket if
// it holds or awaits the lock already.
std::uint32_t take_if_free(const lock_queue& q) {
  if (const std::uint32_t entry = q.mine().load(std::memory_order_acquire); entry != 0)
    return check_entry(q, entry), q.my_ticket();
  q.mine().store(held, std::memory_order_relaxed);
  const std::uint32_t last = q.change_tail(operation::compare_swap, q.my_ticket(), 0);
  if (last != 0) q.mine().store(0, std::memory_order_relaxed);
  return last;
}

void leave_ticket(const lock_queue& q) {
  if (!has_threads(q)) return;
  q.home().tickets.leave(q.address());
  wake(q.home().own_control().wakeup);
}

// Plain stores to the own entry are enough: no PE writes to it while this PE is not in the queue, nor after the next PE
// has registered.
void leave_queue(const lock_queue& q) {
  const auto is_followed = [&] { return (q.mine().load(std::memory_order_acquire) & ~has) != 0; };
  if (!is_followed()) {
    if (q.change_tail(operation::compare_swap, 0, q.my_ticket()) == q.my_ticket())
      return q.mine().store(0, std::memory_order_relaxed);
    // Another PE has become the tail, and is about to register in this PE's entry.
    const wait_info info = q.info();
    wait_for(q.home(), info, is_followed);
  }
  const int next = static_cast<int>(q.mine().load(std::memory_order_relaxed) & ~has) - 1;
  q.change_entry(next, operation::bit_or, turn);
  q.mine().store(0, std::memory_order_relaxed);  // last, because a miss on its cache line would delay the next PE
}

}  // namespace

void set_lock(call_site at, long* lock) {
  const lock_queue q(at, lock);
  take_ticket(q);
  check_unused(q);
  q.mine().store(held, std::memory_order_relaxed);  // before another PE can queue behind this one
  const std::uint32_t previous = q.change_tail(operation::swap, q.my_ticket());
  if (previous == 0) return;
  if (previous > static_cast<std::uint32_t>(q.n_pes())) not_a_lock(q);
  q.mine().fetch_and(~held, std::memory_order_relaxed);
  const int previous_pe = static_cast<int>(previous) - 1;
  q.change_entry(previous_pe, operation::bit_or, q.my_ticket());  // its bit `turn` may be set meanwhile
  const wait_info info = q.info(previous_pe);
  wait_for(q.home(), info, [&] { return (q.mine().load(std::memory_order_acquire) & turn) != 0; });
}

int test_lock(call_site at, long* lock) {
  const lock_queue q(at, lock);
  if (has_threads(q) && !q.home().tickets.take_if_free(q.address())) {
    give_way(q.home(), lock, 0);
    return 1;
  }
  const std::uint32_t last = take_if_free(q);
  if (last == 0) {
    give_way_no_more(q.home());
    return 0;
  }
  if (last > static_cast<std::uint32_t>(q.n_pes())) not_a_lock(q);
  leave_ticket(q);
  give_way(q.home(), lock, last);
  return 1;
}

void clear_lock(call_site at, long* lock) {
  quiet_before_atomic(at);
  const lock_queue q(at, lock);
  if ((q.mine().load(std::memory_order_relaxed) & has) == 0)
    bad_argument(at, "lock = %p: this PE does not hold it; only the PE that has set a lock may clear it",
                 static_cast<void*>(lock));
  leave_queue(q);
  leave_ticket(q);
}

}  // namespace oshen::op
