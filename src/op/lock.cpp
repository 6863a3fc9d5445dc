#include "op/lock.hpp"

#include <shmem.h>

#include <atomic>
#include <cstdint>

#include "op/order.hpp"
#include "world/idle.hpp"

namespace oshen::op {
namespace {

using half = std::atomic_ref<std::uint32_t>;

constexpr std::uint32_t turn = 0x80000000u;
constexpr int low = std::endian::native == std::endian::little ? 0 : 1;

// The lock as this PE sees it: its own entry, and everybody else's by number.
class queue {
 public:
  queue(site at, long* lock) : at_(at), lock_(lock) {
    static_assert(sizeof(long) == 8);
    if (reinterpret_cast<std::uintptr_t>(lock) % sizeof(long) != 0) misaligned(at, "lock", lock, sizeof(long));
    const context& c = *at.where;
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(lock) - c.heap < c.heap_bytes
                                      ? reinterpret_cast<std::uintptr_t>(lock) - c.heap
                                      : reinterpret_cast<std::uintptr_t>(lock) - c.data;
    const auto mixed = static_cast<std::uint32_t>(offset / sizeof(long) * 0x9e3779b1u);
    home_ = static_cast<int>(static_cast<std::uint64_t>(mixed) * c.n_pes >> 32);  // spreads the tails
    static_cast<void>(own_slice(at, "lock", lock, sizeof(long)));
    me_ = c.home->pe;
  }

  std::uint32_t my_ticket() const { return static_cast<std::uint32_t>(me_) + 1; }
  half tail() const { return at(home_, 1 - low); }
  half entry(int pe) const { return at(pe, low); }
  half mine() const { return entry(me_); }
  void wake(int pe) const { ring(find(at_, pe).bell()); }
  world& home_world() const { return *at_.where->home; }
  const char* routine() const { return at_.routine; }
  long* address() const { return lock_; }

 private:
  half at(int pe, int which) const {
    long* there = op::there(at_, find(at_, pe), "lock", lock_, sizeof(long));
    return half(reinterpret_cast<std::uint32_t*>(there)[which]);
  }

  site at_;
  long* lock_;
  int home_ = 0;
  int me_ = 0;
};

bool has_threads(const queue& q) { return q.home_world().thread_level == SHMEM_THREAD_MULTIPLE; }

// A turn among the threads of this PE, before the PE queues.
void take_turn(const queue& q) {
  if (!has_threads(q)) return;
  const thread_turns::place mine = q.home_world().turns.stand(q.address());
  const wait_note note{.routine = q.routine(), .pe = q.home_world().pe};
  wait_for(q.home_world(), note, [&] { return mine.is_served(); });
}

void end_turn(const queue& q) {
  if (!has_threads(q)) return;
  q.home_world().turns.leave(q.address());
  ring(q.home_world().own_control().bell);
}

void leave_queue(const queue& q) {
  if (q.mine().load(std::memory_order_acquire) == 0) {
    std::uint32_t me = q.my_ticket();
    if (q.tail().compare_exchange_strong(me, 0, std::memory_order_acq_rel)) return;
    // Somebody has taken the place behind us and is about to say who it is.
    const wait_note note{.routine = q.routine()};
    wait_for(q.home_world(), note, [&] { return q.mine().load(std::memory_order_acquire) != 0; });
  }
  const int next = static_cast<int>(q.mine().exchange(0, std::memory_order_acq_rel)) - 1;
  q.entry(next).fetch_or(turn, std::memory_order_acq_rel);
  q.wake(next);
}

}  // namespace

void set_lock(site at, long* lock) {
  const queue q(at, lock);
  take_turn(q);
  const std::uint32_t previous = q.tail().exchange(q.my_ticket(), std::memory_order_acq_rel);
  if (previous == 0) return;
  const int before = static_cast<int>(previous) - 1;
  q.entry(before).fetch_or(q.my_ticket(), std::memory_order_acq_rel);  // its turn bit may be set meanwhile
  q.wake(before);
  const wait_note note{.routine = q.routine(), .pe = before};
  wait_for(q.home_world(), note, [&] { return (q.mine().load(std::memory_order_acquire) & turn) != 0; });
  q.mine().fetch_and(~turn, std::memory_order_acq_rel);
}

int test_lock(site at, long* lock) {
  const queue q(at, lock);
  if (has_threads(q) && !q.home_world().turns.stand_if_free(q.address())) return 1;
  std::uint32_t nobody = 0;
  if (q.tail().compare_exchange_strong(nobody, q.my_ticket(), std::memory_order_acq_rel)) return 0;
  end_turn(q);
  return 1;
}

void clear_lock(site at, long* lock) {
  quiet_before_atomic(at);
  const queue q(at, lock);
  leave_queue(q);
  end_turn(q);
}

}  // namespace oshen::op
