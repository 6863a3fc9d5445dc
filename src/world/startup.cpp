// Start-up and shutdown: the order in which a world is built, written once (design/start-up.md).
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "os/futex.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "transport/transport.hpp"
#include "world/attach.hpp"
#include "world/pe_info.hpp"
#include "world/liveness.hpp"
#include "world/network.hpp"
#include "world/world.hpp"

namespace oshen {
namespace {

const int* copy_of(const locality& near) {
  if (near.list == nullptr) return nullptr;
  const auto bytes = static_cast<std::size_t>(near.n_pes) * sizeof(int);
  auto* copy = static_cast<int*>(malloc(bytes));
  if (copy == nullptr) os::leave_at_once(1);
  memcpy(copy, near.list, bytes);
  return copy;
}

void set_default_teams(world& w) {
  team& all = w.team_world;
  all.home = &w;
  take_slot(all, w, 0);
  all.n_pes = w.n_pes;
  all.my_pe = w.pe;
  all.num_contexts = max_contexts;
  init_context(all.ctx, w, all);
  w.default_context = all.ctx;
  if (w.beyond != nullptr) w.default_context.lane = &w.beyond->default_lane;
  // SHARED is the PEs of this node, a team of its own.
  team& shared = w.team_shared;
  shared = all;
  take_slot(shared, w, 1);
  shared.n_pes = w.near.n_pes;
  shared.my_pe = w.near.mine;
  shared.start = w.near.first;
  shared.list = copy_of(w.near);
  shared.ctx = context{};
  init_context(shared.ctx, w, shared);
  w.own_control().busy_slots[0].fetch_or(3, std::memory_order_relaxed);
}

void set_waiting(world& w, cpu_count crowd) {
  w.cpus = crowd.cpus;
  w.waiting = choose_waiting(w.config, crowd.pes, crowd.cpus, os::register_remote_barrier());
  if (w.waiting.flags_are_fenced) w.own_control().wakeup.flags.store(wake_flag::needs_fence, std::memory_order_relaxed);
}

bool open_books(world& w) {
  return !failed(w.heap.open(w.segment.plan().heap_bytes)) && (!w.config.check || !failed(w.blocks.open())) &&
         w.teams.open() && w.contexts.open() && w.graphs.open();
}

status build(world& w) {
  pass_phase(w, "pe_info");
  all_pe_info all;
  if (const status s = all.gather(*w.launcher, own_pe_info(w)); failed(s)) return s;
  if (const status s = compare(w, all); failed(s)) return s;

  w.machine_agrees = one_machine_file(w, all);

  pass_phase(w, "segment");
  w.one_program = one_program(w, all);
  if (const status s = settle_nodes(w, all, agree_on_heap(w, all)); failed(s)) return s;

  pass_phase(w, "statics");
  if (w.one_program)
    if (const status s = w.statics.adopt(w.segment, w.near.mine); failed(s)) return s;

  pass_phase(w, "ready");
  w.pes_on_host = pes_on_host_of(w, all, w.pe);
  set_waiting(w, count_cpus(w, all));
  if (!open_books(w)) {
    log::error("cannot reserve memory for book-keeping: %s", strerror(errno));
    return status::no_memory;
  }
  if (w.near.n_pes != w.n_pes) {
    pass_phase(w, "network");
    if (const status s = open_network(w, one_host(w, all)); failed(s)) return s;
  }
  set_default_teams(w);
  control_page& mine = w.own_control();
  show_life(w);
  mine.pid.store(one_pid_namespace(w, all) ? all[w.pe].pid : 0, std::memory_order_relaxed);
  mine.state.store(boot::pe_state::joined, std::memory_order_release);
  if (const status s = w.launcher->barrier(); failed(s)) return s;
  // All are awake: a sleeper would go where the one who wakes it finds room.
  if (const int cpu = cpu_to_begin_on(w, all); cpu >= 0) os::move_to_cpu(cpu);
  return status::ok;
}

void end_lane(context& c) {
  if (!c.owns_lane) return;
  c.home->beyond->link.close_lane(*c.lane);
  free(c.lane);
}

void take_apart(world& w) {
  w.contexts.each(end_lane);
  w.contexts.close();
  w.graphs.each(free_edges);
  w.graphs.close();
  w.teams.each(free_memory);
  free_memory(w.team_world);
  free_memory(w.team_shared);
  free(w.watcher);
  w.watcher = nullptr;
  w.teams.close();
  close_network(w);
  w.heap.close();
  w.blocks.close();
  // The variables that are given back keep the object alive, but not its memory.
  if (w.statics.give_back() && w.segment.node() != nullptr)
    os::give_back_pages(w.segment.slice(w.near.mine), w.segment.stride());
  w.segment.close();
  w.near.close();
  free(w.preferences);
  w.preferences = nullptr;
}

}  // namespace

void pass_phase(const world& w, const char* name) {
  log::debug("start-up: %s", name);
  if (w.config.fault_pe == w.pe && strcmp(w.config.fault_phase, name) == 0) raise(SIGKILL);
}

std::size_t annex_bytes(int n_pes, int n_slices) {
  return control_annex::bytes_for(n_pes, n_slices < n_pes ? transport::address_bytes : 0);
}

heap::layout plan_of(int n_pes, int n_slices, std::size_t data_bytes, std::size_t heap_bytes) {
  heap::layout plan;
  plan.node_bytes = heap::alignment;
  plan.control_bytes = control_page::bytes_for(n_pes);
  plan.annex_bytes = annex_bytes(n_pes, n_slices);
  plan.data_bytes = data_bytes;
  plan.heap_bytes = round_up(heap_bytes == 0 ? 1 : heap_bytes, heap::grain);  // op::fits needs a line at least
  plan.n_slices = n_slices;
  return plan;
}

void free_memory(team& t) {
  free(const_cast<int*>(t.list));
  free(const_cast<std::ptrdiff_t*>(t.ctx.peer_offsets));
  free(t.scratch);
  free(t.domains);
  t.list = nullptr;
  t.ctx.peer_offsets = nullptr;
  t.scratch = nullptr;
  t.domains = nullptr;
}

namespace {

// From this PE's slice to that of PE `pe` of the job.
std::ptrdiff_t offset_to(const world& w, int pe) {
  const int slice = w.near.slice_of(pe);
  if (slice < 0) return context::no_offset;
  return static_cast<std::ptrdiff_t>(slice - w.near.mine) * static_cast<std::ptrdiff_t>(w.segment.stride());
}

// Near PEs that follow one another in the team, and lie in the segment by the same rule: a window. False: they do not.
bool init_window(context& c, const world& w, const team& t) {
  if (t.list != nullptr || w.near.list != nullptr) return false;
  const bool all_near = w.near.n_pes == w.n_pes;
  int first = 0;
  while (!all_near && first < t.n_pes && !w.is_near(t.world_pe(first))) ++first;
  int end = all_near ? t.n_pes : first;
  while (end < t.n_pes && w.is_near(t.world_pe(end))) ++end;
  const auto stride = static_cast<std::ptrdiff_t>(w.segment.stride());
  c.near_first = static_cast<std::uint32_t>(first);
  c.near_count = static_cast<std::uint32_t>(end - first);
  c.offset_step = static_cast<std::ptrdiff_t>(t.stride) * stride;
  c.first_offset = static_cast<std::ptrdiff_t>(t.start - w.pe) * stride;
  c.near_offset = c.first_offset + first * c.offset_step;
  return true;
}

void init_list(context& c, world& w, const team& t) {
  auto* peer_offsets = static_cast<std::ptrdiff_t*>(malloc(static_cast<std::size_t>(t.n_pes) * sizeof(std::ptrdiff_t)));
  if (peer_offsets == nullptr) {
    log::error("no memory for a team of %d PEs", t.n_pes);
    end_job(&w, 1, false);
  }
  for (int i = 0; i < t.n_pes; ++i) peer_offsets[i] = offset_to(w, t.world_pe(i));
  c.peer_offsets = peer_offsets;
}

bool spans_nodes(const world& w, const team& t) {
  for (int i = 0; i < t.n_pes; ++i)
    if (!w.is_near(t.world_pe(i))) return true;
  return false;
}

}  // namespace

void init_context(context& c, world& w, team& t) {
  const os::byte_range data = w.statics.range();
  c.heap = reinterpret_cast<std::uintptr_t>(w.segment.heap(w.near.mine));
  c.heap_bytes = w.segment.plan().heap_bytes;
  if (data.bytes != 0) {
    c.data = reinterpret_cast<std::uintptr_t>(data.start);
    c.data_bytes = data.bytes;
    c.data_to_slice = w.segment.data(w.near.mine) - data.start;
  }
  c.n_pes = static_cast<std::uint32_t>(t.n_pes);
  c.control = &w.own_control();
  c.home = &w;
  c.members = &t;
  // Under OSHEN_CHECK nobody is close: op/other_node.cpp looks at every operation.
  if (w.config.check || !init_window(c, w, t)) init_list(c, w, t);
  t.spans = w.beyond != nullptr && spans_nodes(w, t);
  c.lane = t.spans ? &w.beyond->collective_lane : nullptr;
  c.special = c.lane != nullptr ? 1 : 0;
}

void take_slot(team& t, world& w, int slot) {
  control_page& page = w.own_control();
  control_annex& annex = w.own_annex();
  t.slot = slot;
  t.slot_here = slot < resident_slots ? &page.slots[slot] : &annex.slots[slot - resident_slots];
  t.workspace_here = nullptr;
  if (slot < max_workspaces)
    t.workspace_here =
        slot < resident_workspaces ? &page.workspaces[slot] : &annex.workspaces[slot - resident_workspaces];
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
  if (w.near.n_pes == 0) w.near = {.n_pes = w.n_pes, .mine = w.pe};
  w.affordable = w.segment.plan().heap_bytes;
  w.pes_on_host = w.n_pes;
  set_waiting(w, {os::usable_cpus(), w.n_pes});
  if (!open_books(w))
    os::leave_at_once(1);
  if (w.near.n_pes != w.n_pes && failed(open_network(w, true))) os::leave_at_once(1);
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
