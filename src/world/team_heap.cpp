#include "world/team_heap.hpp"

#include <algorithm>

#include "world/current.hpp"

namespace oshen {

// Other threads may read the members meanwhile. They have no address in the new parts yet. The direct range of a job
// with a card heap never changes, because its start would have to change with its size.
void set_reach(context& c, const world& w, std::size_t bytes) {
  const auto set = [](std::size_t& member, std::size_t value) {
    std::atomic_ref<std::size_t>(member).store(value, std::memory_order_relaxed);
  };
  set(c.heap_bytes, bytes);
  set(c.cpu_bytes, std::min(bytes, w.card_begin));
  if (w.card_begin == heap::nowhere) {
    c.direct_start = c.heap_start;
    set(c.direct_bytes, bytes);
  } else {
    c.direct_start = c.heap_start + w.card_begin;
    set(c.direct_bytes, w.segment.plan().symmetric_bytes() - w.card_begin);
  }
}

void open_team_heap(world& w) {
  if (w.team_heap.load(std::memory_order_acquire) == team_heap_state::open) return;
  const os::locked hold(w.team_heap_lock);
  if (w.team_heap.load(std::memory_order_relaxed) == team_heap_state::open) return;
  w.team_heap.store(team_heap_state::opening, std::memory_order_relaxed);
  // Pairs with the fence in reach_team_heap(): either this walk sees a new context, or its maker sees the state.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const auto extend = [&w](context& c) { set_reach(c, w, w.segment.plan().symmetric_bytes()); };
  for (context* c : {&w.default_context, &w.team_world.ctx, &w.team_shared.ctx}) extend(*c);
  if (current_world == &w) extend(default_context);
  w.teams.each([&](team& t) { extend(t.ctx); });
  w.contexts.each(extend);
  w.team_heap.store(team_heap_state::open, std::memory_order_release);
}

void reach_team_heap(context& c, world& w) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (w.team_heap.load(std::memory_order_relaxed) != team_heap_state::closed)
    set_reach(c, w, w.segment.plan().symmetric_bytes());
}

}  // namespace oshen
