#include "world/wake.hpp"

#include "os/futex.hpp"
#include "world/watch.hpp"

namespace oshen {

// ---- the waiter -----------------------------------------------------------------------------------------

// A sleep that nobody has ended needs no new announcement: who wrote since has seen the one that stands.
bool sleeper::stands() const {
  return counted_ && world_.own_control().wakeup.wakes.load(std::memory_order_acquire) == wakes_seen_ &&
         (everything_ || world_.background.open.load(std::memory_order_acquire) == 0);
}

// Pairs with wake(): either the writer's store is seen by the test that follows, or the writer's look at the wake flag
// comes after our store and it wakes. The remote barrier stands for the fence on both sides; where writers of flags
// fence themselves it is only needed for memory.
void sleeper::announce() {
  if (stands()) return;
  wakes_seen_ = world_.own_control().wakeup.wakes.load(std::memory_order_acquire);
  publish(world_.background.open.load(std::memory_order_acquire) != 0);
  const bool for_flags_only = bytes_ == 0 && !everything_;
  if (world_.waiting.kernel_wakes && !(for_flags_only && world_.waiting.flags_are_fenced)) os::remote_barrier();
  else std::atomic_thread_fence(std::memory_order_seq_cst);  // announced, then looked: on x86 the addition sees to that
}

// Threads of this PE share the wake flag. What another one has said stays said until nobody sleeps.
void sleeper::publish(bool everything) {
  wake_flag& wakeup = world_.own_control().wakeup;
  const std::uint64_t mine = everything    ? watch::anything
                             : bytes_ == 0 ? watch::nothing
                                           : watch::of(&wakeup, memory_, bytes_);
  os::locked hold(world_.sleeping.lock);
  const bool alone = world_.sleeping.count == (counted_ ? 1 : 0);
  const std::uint64_t said = alone ? watch::nothing : wakeup.memory.load(std::memory_order_relaxed);
  const std::uint64_t all = watch::join(said, mine);
  if (wakeup.memory.load(std::memory_order_relaxed) != all) wakeup.memory.store(all, std::memory_order_seq_cst);
  if (everything || bytes_ == 0) {
    count_for_flags();
    wakeup.flags.fetch_or(wake_flag::awaited, std::memory_order_seq_cst);
  }
  if (!counted_) ++world_.sleeping.count;
  counted_ = true;
  everything_ = everything;
}

// The node's count comes before the PE's own word: who finds the count 0 has stored before we look again.
void sleeper::count_for_flags() {
  if (!world_.waiting.flags_are_fenced || world_.sleeping.for_flags) return;
  world_.sleeping.for_flags = true;
  world_.node().asleep.fetch_add(1, std::memory_order_seq_cst);
}

bool sleeper::sleep(std::uint64_t at_most_ns) {
  wake_flag& wakeup = world_.own_control().wakeup;
  // Another thread has started a collective meanwhile: its request flags come to flags that are not announced.
  if (!everything_ && world_.background.open.load(std::memory_order_acquire) != 0) return false;
  os::futex_wait(wakeup.wakes, wakes_seen_, at_most_ns);
  return wakeup.wakes.load(std::memory_order_acquire) != wakes_seen_;
}

void sleeper::withdraw() {
  if (!counted_) return;
  os::locked hold(world_.sleeping.lock);
  if (--world_.sleeping.count != 0) return;
  wake_flag& wakeup = world_.own_control().wakeup;
  if (wakeup.memory.load(std::memory_order_relaxed) != watch::nothing)
    wakeup.memory.store(watch::nothing, std::memory_order_relaxed);
  if ((wakeup.flags.load(std::memory_order_relaxed) & wake_flag::awaited) != 0)
    wakeup.flags.fetch_and(~wake_flag::awaited, std::memory_order_relaxed);
  if (!world_.sleeping.for_flags) return;
  world_.sleeping.for_flags = false;
  world_.node().asleep.fetch_sub(1, std::memory_order_relaxed);
}

// ---- the writer -----------------------------------------------------------------------------------------

namespace {

void wake_up(wake_flag& wakeup) {
  wakeup.wakes.fetch_add(1, std::memory_order_release);
  os::futex_wake_all(wakeup.wakes);
}

// Of several writers the one that takes the announcement back wakes. Who wakes and waits on announces himself anew.
bool take(std::atomic<std::uint32_t>& flags) {
  return (flags.load(std::memory_order_relaxed) & wake_flag::awaited) != 0 &&
         (flags.fetch_and(~wake_flag::awaited, std::memory_order_acq_rel) & wake_flag::awaited) != 0;
}
bool take(std::atomic<std::uint64_t>& memory) {
  return memory.exchange(watch::nothing, std::memory_order_acq_rel) != watch::nothing;
}

}  // namespace

// Where PEs share CPUs one fence does for all, and one word says that none of them sleeps: nearly always. To look at
// the wake flags of hundreds of PEs is to touch as many pages, which each process has to map first.
void wake_each(const team& t) {
  if (t.home->waiting.flags_are_fenced) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // the flag is out before we look
    if (t.home->node().asleep.load(std::memory_order_relaxed) == 0) return;
  }
  asm volatile("" ::: "memory");
  for (int i = 0; i < t.n_pes; ++i) {
    if (!t.is_near(i)) continue;
    wake_flag& wakeup = byte_offset(t.ctx.control, t.ctx.offset_to(static_cast<std::uint32_t>(i)))->wakeup;
    if (take(wakeup.flags)) wake_up(wakeup);
  }
}

void wake_for_flags(wake_flag& wakeup) {
  if ((wakeup.flags.load(std::memory_order_relaxed) & wake_flag::needs_fence) != 0)
    std::atomic_thread_fence(std::memory_order_seq_cst);  // the flag is out before we look
  if (take(wakeup.flags)) wake_up(wakeup);
}

void wake_for_memory(wake_flag& wakeup, const void* written, std::size_t bytes) {
  if (!watch::touches(wakeup.memory.load(std::memory_order_relaxed), &wakeup, written, bytes)) return;
  if (take(wakeup.memory)) wake_up(wakeup);
}

void wake_for_all(wake_flag& wakeup) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool flags = take(wakeup.flags);
  if (take(wakeup.memory) || flags) wake_up(wakeup);
}

}  // namespace oshen
