#include "wait/wake.hpp"

#include "os/futex.hpp"
#include "wait/watched_lines.hpp"

namespace oshen {

// ---- the waiter -----------------------------------------------------------------------------------------

// True if the announcement of an earlier sleep is still there: that sleep ended without a wake-up.
bool sleeper::is_announced() const {
  return counted_ && world_.own_control().wakeup.wakes.load(std::memory_order_acquire) == wakes_seen_ &&
         (everything_ || world_.background.n_open.load(std::memory_order_acquire) == 0);
}

// Pairs with wake(): either the caller's next test sees the writer's store, or the writer's load of the wake flag sees
// the announcement. The remote barrier replaces the fences on both sides. If writers of flags fence, only waits for
// memory need it.
void sleeper::announce() {
  if (is_announced()) return;
  wakes_seen_ = world_.own_control().wakeup.wakes.load(std::memory_order_acquire);
  publish(world_.background.n_open.load(std::memory_order_acquire) != 0);
  const bool for_flags_only = bytes_ == 0 && !everything_;
  if (world_.waiting.kernel_wakes && !(for_flags_only && world_.waiting.flags_are_fenced))
    os::remote_barrier();
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);  // orders the announcement before the caller's next test
}

// The threads of this PE share the wake flag. The lines of all sleepers stay there until the last one leaves.
void sleeper::publish(bool everything) {
  wake_flag& wakeup = world_.own_control().wakeup;
  const std::uint64_t mine = everything    ? watched_lines::anything
                             : bytes_ == 0 ? watched_lines::nothing
                                           : watched_lines::encode(&wakeup, memory_, bytes_);
  os::locked hold(world_.sleeping.lock);
  const bool is_only_one = world_.sleeping.count == (counted_ ? 1 : 0);
  const std::uint64_t of_others = is_only_one ? watched_lines::nothing : wakeup.watched.load(std::memory_order_relaxed);
  const std::uint64_t all = watched_lines::join(of_others, mine);
  if (wakeup.watched.load(std::memory_order_relaxed) != all) wakeup.watched.store(all, std::memory_order_seq_cst);
  if (everything || bytes_ == 0) {
    count_for_flags();
    wakeup.flag_state.fetch_or(wake_flag::awaited, std::memory_order_seq_cst);
  }
  if (!counted_) ++world_.sleeping.count;
  counted_ = true;
  everything_ = everything;
}

// The node's count is advanced before the PE's own flag is set. A writer that reads a count of 0 has stored before this
// PE tests again.
void sleeper::count_for_flags() {
  if (!world_.waiting.flags_are_fenced || world_.sleeping.for_flags) return;
  world_.sleeping.for_flags = true;
  world_.node().asleep.fetch_add(1, std::memory_order_seq_cst);
}

bool sleeper::sleep(std::uint64_t at_most_ns) {
  wake_flag& wakeup = world_.own_control().wakeup;
  // Another thread has started a non-blocking collective meanwhile, and no sleeper is announced for its flags.
  if (!everything_ && world_.background.n_open.load(std::memory_order_acquire) != 0) return false;
  os::futex_wait(wakeup.wakes, wakes_seen_, at_most_ns);
  return wakeup.wakes.load(std::memory_order_acquire) != wakes_seen_;
}

void sleeper::withdraw() {
  if (!counted_) return;
  os::locked hold(world_.sleeping.lock);
  if (--world_.sleeping.count != 0) return;
  wake_flag& wakeup = world_.own_control().wakeup;
  if (wakeup.watched.load(std::memory_order_relaxed) != watched_lines::nothing)
    wakeup.watched.store(watched_lines::nothing, std::memory_order_relaxed);
  if ((wakeup.flag_state.load(std::memory_order_relaxed) & wake_flag::awaited) != 0)
    wakeup.flag_state.fetch_and(~wake_flag::awaited, std::memory_order_relaxed);
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

// Only the writer that clears the announcement wakes the sleepers. A woken thread whose wait continues announces again.
bool take(std::atomic<std::uint32_t>& flag_state) {
  return (flag_state.load(std::memory_order_relaxed) & wake_flag::awaited) != 0 &&
         (flag_state.fetch_and(~wake_flag::awaited, std::memory_order_acq_rel) & wake_flag::awaited) != 0;
}
bool take(std::atomic<std::uint64_t>& watched) {
  return watched.exchange(watched_lines::nothing, std::memory_order_acq_rel) != watched_lines::nothing;
}

}  // namespace

// If PEs share CPUs, one fence serves for all of them, and the node's counter nearly always shows that no PE sleeps.
// Reading the wake flags of hundreds of PEs would touch as many pages, which each process would have to map first.
void wake_each(const team& t) {
  if (t.home->waiting.flags_are_fenced) {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // the written flag is visible before the counter is read
    if (t.home->node().asleep.load(std::memory_order_relaxed) == 0) return;
  }
  asm volatile("" ::: "memory");
  for (int i = 0; i < t.n_pes; ++i) {
    if (!t.is_near(i)) continue;
    wake_flag& wakeup = byte_offset(t.ctx.control, t.ctx.offset_to(static_cast<std::uint32_t>(i)))->wakeup;
    if (take(wakeup.flag_state)) wake_up(wakeup);
  }
}

void wake_for_flags(wake_flag& wakeup) {
  if ((wakeup.flag_state.load(std::memory_order_relaxed) & wake_flag::needs_fence) != 0)
    std::atomic_thread_fence(std::memory_order_seq_cst);  // the written flag is visible before flag_state is read
  if (take(wakeup.flag_state)) wake_up(wakeup);
}

void wake_for_memory(wake_flag& wakeup, const void* written, std::size_t bytes) {
  if (!watched_lines::touches(wakeup.watched.load(std::memory_order_relaxed), &wakeup, written, bytes)) return;
  if (take(wakeup.watched)) wake_up(wakeup);
}

bool wake_for_all(wake_flag& wakeup) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool flags = take(wakeup.flag_state);
  const bool any = take(wakeup.watched) || flags;
  if (any) wake_up(wakeup);
  return any;
}

}  // namespace oshen
