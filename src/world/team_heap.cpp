#include "world/team_heap.hpp"

#include "world/current.hpp"

namespace oshen {
namespace {

// Other threads may read the member meanwhile. They have no address in the team heap yet.
void extend(context& c, const world& w) {
  std::atomic_ref<std::size_t>(c.heap_bytes).store(w.segment.plan().symmetric_bytes(), std::memory_order_relaxed);
}

}  // namespace

void open_team_heap(world& w) {
  if (w.team_heap.load(std::memory_order_acquire) == team_heap_state::open) return;
  const os::locked hold(w.team_heap_lock);
  if (w.team_heap.load(std::memory_order_relaxed) == team_heap_state::open) return;
  w.team_heap.store(team_heap_state::opening, std::memory_order_relaxed);
  // Pairs with the fence in reach_team_heap(): either this walk sees a new context, or its maker sees the state.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (context* c : {&w.default_context, &w.team_world.ctx, &w.team_shared.ctx}) extend(*c, w);
  if (current_world == &w) extend(default_context, w);
  w.teams.each([&](team& t) { extend(t.ctx, w); });
  w.contexts.each([&](context& c) { extend(c, w); });
  w.team_heap.store(team_heap_state::open, std::memory_order_release);
}

void reach_team_heap(context& c, world& w) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (w.team_heap.load(std::memory_order_relaxed) != team_heap_state::closed) extend(c, w);
}

}  // namespace oshen
