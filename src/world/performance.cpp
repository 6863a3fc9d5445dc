#include "world/performance.hpp"

#include <stdlib.h>

#include <new>

#include "world/current.hpp"
#include "world/network.hpp"
#include "world/world.hpp"

namespace oshen {
namespace {

counted kind_of(transport::traffic kind) {
  switch (kind) {
    case transport::traffic::put: return counted::put;
    case transport::traffic::get: return counted::get;
    case transport::traffic::put_signal: return counted::signal;
    case transport::traffic::atomic:
    case transport::traffic::atomic_request: return counted::atomic;
    case transport::traffic::pack: return counted::pack;
  }
  return counted::put;
}

void saw(transport::traffic_hook& self, transport::traffic kind, int pe, std::size_t bytes) {
  static_cast<performance&>(self).count(kind_of(kind), pe, bytes);
}

performance* make_performance(int n_pes) {
  void* memory = aligned_alloc(cache_line, round_up(sizeof(performance), cache_line));
  const std::size_t bytes = static_cast<std::size_t>(n_pes) * sizeof(peer_counts);
  void* peers = aligned_alloc(cache_line, bytes);
  if (memory == nullptr || peers == nullptr) {
    free(memory);
    free(peers);
    return nullptr;
  }
  auto* made = new (memory) performance{};
  made->saw = saw;
  made->counts_of = static_cast<peer_counts*>(peers);
  return made;
}

std::uint32_t polls_of(const world& w) {
  return w.beyond == nullptr ? 0 : w.beyond->progress.program_advances.load(std::memory_order_relaxed);
}

// The near range of a context is empty while it counts. The list of its team then says which PEs are near.
void watch(context& c) {
  if (c.home == nullptr) return;
  c.is_counting = true;
  if (c.home->config.check) return;
  need_list(*c.members);
  c.peer_offsets = c.members->ctx.peer_offsets;
  c.near_count = c.atomic_near_count = 0;
}
void release(context& c) {
  if (c.home == nullptr) return;
  c.is_counting = false;
  if (c.home->config.check) return;
  c.near_count = c.members->ctx.near_count;
  c.atomic_near_count = c.members->ctx.atomic_near_count;
}

// Operations on the default context use a copy of it (world/current.hpp).
void for_all_contexts(world& w, void (*change)(context& c)) {
  change(w.default_context);
  if (default_context.home == &w) change(default_context);
  w.contexts.each(change);
}

}  // namespace

bool start_counting(world& w) {
  if (w.performance_here == nullptr) w.performance_here = make_performance(w.n_pes);
  if (w.performance_here == nullptr) return false;
  performance& p = *w.performance_here;
  for (int pe = 0; pe < w.n_pes; ++pe) new (&p.counts_of[pe]) peer_counts{};
  p.waits = p.sleeps = p.retries = 0;
  p.polls_before = polls_of(w);
  w.counting.store(&p, std::memory_order_release);
  for_all_contexts(w, watch);
  if (w.beyond != nullptr) w.beyond->endpoint.observe(&p);
  return true;
}

void stop_counting(world& w) {
  if (w.counting.load(std::memory_order_relaxed) == nullptr) return;
  if (w.beyond != nullptr) w.beyond->endpoint.observe(nullptr);
  for_all_contexts(w, release);
  w.performance_here->polls = polls_of(w) - w.performance_here->polls_before;
  w.counting.store(nullptr, std::memory_order_release);
}

void count_context(context& c) {
  if (c.home->counting.load(std::memory_order_relaxed) != nullptr) watch(c);
}

std::uint64_t polls_counted(const world& w) {
  const performance& p = *w.performance_here;
  return w.counting.load(std::memory_order_relaxed) != nullptr ? polls_of(w) - p.polls_before : p.polls;
}

void free_performance(world& w) {
  if (w.performance_here != nullptr) free(w.performance_here->counts_of);
  free(w.performance_here);
  w.performance_here = nullptr;
}

}  // namespace oshen
