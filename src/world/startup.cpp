// Start-up and shutdown: the order in which a world is built, written once (design/start-up.md).
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"
#include "world/attach.hpp"
#include "world/introduction.hpp"
#include "world/world.hpp"

namespace oshen {
namespace {

// Start-up passes here by name, so that the fault tests can kill a PE in each phase.
void phase(const world& w, const char* name) {
  log::debug("start-up: %s", name);
  if (w.config.fault_pe == w.pe && strcmp(w.config.fault_phase, name) == 0) raise(SIGKILL);
}

void set_default_teams(world& w) {
  team& all = w.team_world;
  all.home = &w;
  all.slot = 0;
  all.n_pes = w.n_pes;
  all.my_pe = w.pe;
  all.num_contexts = max_contexts;
  aim(all.reach, w, all);
  w.default_context = all.reach;
  // One node: every PE reaches every heap, so SHARED is the same set. It is a team of its own.
  team& shared = w.team_shared;
  shared = all;
  shared.slot = 1;
  aim(shared.reach, w, shared);
  w.own_control().busy_slots[0].fetch_or(3, std::memory_order_relaxed);
}

status build(world& w) {
  phase(w, "introduction");
  introductions all;
  if (const status s = all.gather(*w.launcher, introduce(w)); failed(s)) return s;
  if (const status s = compare(w, all); failed(s)) return s;

  phase(w, "segment");
  const heap::layout plan = plan_of(w.n_pes, all[w.pe].data_bytes, agree_on_heap(w, all));
  roll_call<offer> offers;
  if (const status s = offers.gather(*w.launcher, make_segment(w, plan)); failed(s)) return s;
  if (offers[leader].made == 0) return status::no_memory;

  phase(w, "attach");
  if (const status s = attach_segment(w, plan, offers[leader], all[leader].pid); failed(s)) return s;

  phase(w, "statics");
  if (const status s = w.statics.adopt(w.segment, w.pe); failed(s)) return s;

  phase(w, "ready");
  w.affordable = offers[leader].affordable;
  w.cpus = cpus_of_all(w, all);
  w.waiting = choose_waiting(w.config, w.cpus >= w.n_pes, os::register_remote_barrier());
  if (failed(w.heap.open(plan.heap_bytes)) || !w.teams.open() || !w.contexts.open() || !w.graphs.open()) {
    log::error("cannot reserve memory for book-keeping: %s", strerror(errno));
    return status::no_memory;
  }
  set_default_teams(w);
  control_page& mine = w.own_control();
  mine.pid.store(one_pid_namespace(w, all) ? all[w.pe].pid : 0, std::memory_order_relaxed);
  mine.state.store(boot::pe_state::joined, std::memory_order_release);
  return w.launcher->barrier();
}

void take_apart(world& w) {
  w.contexts.close();
  w.graphs.each(free_edges);
  w.graphs.close();
  w.teams.each(free_memory);
  free_memory(w.team_world);
  free_memory(w.team_shared);
  free(w.watcher);
  w.watcher = nullptr;
  w.teams.close();
  w.heap.close();
  w.statics.give_back();
  w.segment.close();
  free(w.preferences);
  w.preferences = nullptr;
}

}  // namespace

heap::layout plan_of(int n_pes, std::size_t data_bytes, std::size_t heap_bytes) {
  heap::layout plan;
  plan.node_bytes = heap::alignment;
  plan.control_bytes = control_page::bytes_for(n_pes);
  plan.data_bytes = data_bytes;
  plan.heap_bytes = round_up(heap_bytes == 0 ? 1 : heap_bytes, heap::grain);  // op::fits needs a line at least
  plan.n_slices = n_pes;
  return plan;
}

void free_memory(team& t) {
  free(const_cast<int*>(t.list));
  free(const_cast<std::ptrdiff_t*>(t.reach.hops));
  free(t.scratch);
  t.list = nullptr;
  t.reach.hops = nullptr;
  t.scratch = nullptr;
}

void aim(context& c, world& w, team& t) {
  const auto stride = static_cast<std::ptrdiff_t>(w.segment.plan().stride());
  const os::byte_range data = w.statics.range();
  c.heap = reinterpret_cast<std::uintptr_t>(w.segment.heap(w.pe));
  c.heap_bytes = w.segment.plan().heap_bytes;
  if (data.bytes != 0) {
    c.data = reinterpret_cast<std::uintptr_t>(data.start);
    c.data_bytes = data.bytes;
    c.data_to_slice = w.segment.data(w.pe) - data.start;
  }
  c.first_hop = static_cast<std::ptrdiff_t>(t.start - w.pe) * stride;
  c.hop_step = static_cast<std::ptrdiff_t>(t.stride) * stride;
  c.n_pes = static_cast<std::uint32_t>(t.n_pes);
  c.control = &w.own_control();
  c.home = &w;
  c.members = &t;
  if (t.list == nullptr) return;
  auto* hops = static_cast<std::ptrdiff_t*>(malloc(static_cast<std::size_t>(t.n_pes) * sizeof(std::ptrdiff_t)));
  if (hops == nullptr) {
    log::error("no memory for a team of %d PEs", t.n_pes);
    end_job(&w, 1, false);
  }
  for (int i = 0; i < t.n_pes; ++i) hops[i] = static_cast<std::ptrdiff_t>(t.list[i] - w.pe) * stride;
  c.hops = hops;
}

status open_world(world& w, boot::boot& launcher, const settings& config) {
  w.launcher = &launcher;
  w.config = config;
  w.pe = launcher.pe;
  w.n_pes = launcher.n_pes;
  launcher.warn_seconds = config.wait_warn_seconds;
  launcher.abort_seconds = config.wait_abort_seconds;
  launcher.set_state(boot::pe_state::joined);
  const status s = build(w);
  if (failed(s)) take_apart(w);
  return s;
}

void furnish_world(world& w, boot::boot& launcher, const settings& config) {
  w.launcher = &launcher;
  w.config = config;
  w.pe = launcher.pe;
  w.n_pes = launcher.n_pes;
  w.affordable = w.segment.plan().heap_bytes;
  w.cpus = os::usable_cpus();
  w.waiting = choose_waiting(config, w.cpus >= w.n_pes, os::register_remote_barrier());
  if (failed(w.heap.open(w.segment.plan().heap_bytes)) || !w.teams.open() || !w.contexts.open() || !w.graphs.open())
    os::leave_at_once(1);
  set_default_teams(w);
  w.own_control().state.store(boot::pe_state::joined, std::memory_order_release);
}

void close_world(world& w) {
  if (w.background.engine.load(std::memory_order_acquire) != nullptr) w.background.finish(w);
  w.own_control().state.store(boot::pe_state::finalized, std::memory_order_release);
  w.launcher->set_state(boot::pe_state::finalized);
  // Nobody unmaps before everybody has left the last barrier of the team: its flags lie in the segment.
  if (failed(w.launcher->barrier())) log::error("shutdown: the launcher's barrier failed");
  take_apart(w);
}

}  // namespace oshen
