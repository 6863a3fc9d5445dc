// Start-up and shutdown. build() lists all steps in order (design/start-up.md).
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "heap/core_dump.hpp"
#include "heap/memory_checkers.hpp"
#include "os/futex.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "startup/attach.hpp"
#include "startup/network.hpp"
#include "startup/pe_info.hpp"
#include "startup/startup.hpp"
#include "transport/transport.hpp"
#include "wait/delivery.hpp"
#include "wait/liveness.hpp"
#include "wait/progress.hpp"
#include "wait/quiescence.hpp"
#include "wait/wait_policy.hpp"
#include "world/network.hpp"
#include "world/performance.hpp"
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
  if (w.beyond != nullptr) w.default_context.channel = &w.beyond->default_channel;
  // SHMEM_TEAM_SHARED: the PEs of this node.
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
  w.waiting = choose_waiting(w.config, crowd.n_pes, crowd.cpus, os::register_remote_barrier());
  if (w.waiting.flags_are_fenced)
    w.own_control().wakeup.flag_state.store(wake_flag::needs_fence, std::memory_order_relaxed);
}

// The bytes of the heap that memory checkers may have marked.
std::size_t guarded_heap(const world& w) {
  const std::size_t marked = w.heap.high_water() + heap::guarded_bytes, all = w.segment.plan().heap_bytes;
  return marked < all ? marked : all;
}

// Objects that the program gives to the card have half of the range of the team heap.
std::size_t card_heap_bytes(const world& w) {
  const bool by_object = has_card_atomics(w) && w.config.atomics == atomics_policy::automatic;
  return by_object ? round_down(w.segment.plan().team_bytes / 2, heap::alignment) : 0;
}

bool open_heaps(world& w) {
  const heap::segment_layout& plan = w.segment.plan();
  const std::size_t card_bytes = card_heap_bytes(w);
  if (card_bytes != 0) w.card_begin = plan.symmetric_bytes() - card_bytes;
  return !failed(w.heap.open(plan.heap_bytes)) &&
         !failed(w.team_blocks.open(plan.team_begin(), plan.team_bytes - card_bytes)) &&
         (card_bytes == 0 || !failed(w.card_heap.open(card_bytes, w.card_begin)));
}

bool open_tables(world& w) {
  if (w.config.check) w.symbols.open();
  return open_heaps(w) && (!w.config.check || !failed(w.block_index.open())) && w.teams.open() && w.contexts.open() &&
         w.graphs.open();
}

status build(world& w) {
  pass_phase(w, "pe_info");
  all_pe_info all;
  if (const status s = all.gather(*w.launcher, own_pe_info(w)); failed(s)) return s;
  if (const status s = compare(w, all); failed(s)) return s;

  w.machine_agrees = one_machine_file(w, all);

  pass_phase(w, "segment");
  w.one_program = one_program(w, all);
  w.n_team_slots = agree_on_team_slots(w, all);
  if (const status s = form_nodes(w, all, agree_on_heap(w, all)); failed(s)) return s;

  heap::keep_in_core(w.segment, w.near.mine);
  heap::mark_unused(w.segment.heap(w.near.mine), guarded_heap(w));

  pass_phase(w, "statics");
  if (w.one_program)
    if (const status s = w.statics.adopt(w.segment, w.near.mine); failed(s)) return s;

  pass_phase(w, "ready");
  w.pes_on_host = pes_on_host_of(w, all, w.pe);
  set_waiting(w, count_cpus(w, all));
  if (w.near.n_pes != w.n_pes) {
    pass_phase(w, "network");
    if (const status s = open_network(w, one_host(w, all)); failed(s)) return s;
  }
  if (!open_tables(w)) {  // the network tells whether there is a card heap
    log::error("cannot reserve memory for the library's tables: %s", strerror(errno));
    return status::no_memory;
  }
  set_default_teams(w);
  control_page& mine = w.own_control();
  show_life(w);
  mine.pid.store(one_pid_namespace(w, all) ? all[w.pe].pid : 0, std::memory_order_relaxed);
  mine.state.store(bootstrap::pe_state::joined, std::memory_order_release);
  if (const status s = w.launcher->barrier(); failed(s)) return s;
  // After the barrier all PEs run. Before it the scheduler would move a sleeping PE again at its wake-up.
  if (const int cpu = first_cpu(w, all); cpu >= 0) os::move_to_cpu(cpu);
  return status::ok;
}

// Memory checkers have marked this range of the symmetric heap. It may be empty.
void show_to_checkers(const world& w, std::size_t begin, std::size_t end) {
  if (end > begin) heap::mark_readable(w.segment.heap(w.near.mine) + begin, end - begin);
}

void close_channel(context& c) {
  if (c.owns_channel) drop_channel(*c.home->beyond, c.channel);
}

// The network's thread ends first, because it uses the channels of the contexts.
void take_apart(world& w) {
  if (w.beyond != nullptr) end_network_thread(*w.beyond);
  w.contexts.each(close_channel);
  w.contexts.close();
  free_performance(w);
  w.graphs.each(free_edges);
  w.graphs.close();
  w.teams.each(free_memory);
  free_memory(w.team_world);
  free_memory(w.team_shared);
  free(w.watcher);
  w.watcher = nullptr;
  w.teams.close();
  close_network(w);
  if (w.segment.node() != nullptr) {
    heap::mark_readable(w.segment.heap(w.near.mine), guarded_heap(w));
    show_to_checkers(w, w.segment.plan().team_begin(), w.team_blocks.high_water());
    show_to_checkers(w, w.card_begin, w.card_heap.high_water());
  }
  w.heap.close();
  w.card_heap.close();
  w.team_blocks.close();
  w.block_index.close();
  w.symbols.close();
  // The mapping of the program's variables keeps the object alive, so its memory is freed explicitly.
  if (w.statics.give_back() && w.segment.node() != nullptr)
    os::give_back_pages(w.segment.slice(w.near.mine), w.segment.stride());
  w.segment.close();
  w.near.close();
  free(w.tuning);
  w.tuning = nullptr;
}

}  // namespace

void pass_phase(const world& w, const char* name) {
  log::debug("start-up: %s", name);
  if (w.config.fault_pe == w.pe && strcmp(w.config.fault_phase, name) == 0) raise(SIGKILL);
}

std::size_t annex_bytes(int team_slots, int n_pes, int n_slices) {
  const bool is_one_node = n_slices == n_pes;
  return is_one_node ? control_annex::bytes_for(team_slots)
                     : control_annex::bytes_for(team_slots, n_pes, transport::address_bytes);
}

heap::segment_layout plan_of(int n_pes, int n_slices, std::size_t data_bytes, std::size_t heap_bytes, int team_slots) {
  heap::segment_layout plan;
  plan.node_bytes = heap::alignment;
  plan.control_bytes = control_page::bytes_for(n_pes);
  plan.annex_bytes = annex_bytes(team_slots, n_pes, n_slices);
  plan.data_bytes = data_bytes;
  plan.heap_bytes = round_up(heap_bytes == 0 ? 1 : heap_bytes, heap::grain);  // op::fits needs at least one line
  plan.n_slices = n_slices;
  return plan;
}

status open_world(world& w, bootstrap::launcher& launcher, const settings& config) {
  w.launcher = &launcher;
  w.config = config;
  w.pe = launcher.pe;
  w.n_pes = launcher.n_pes;
  launcher.warn_seconds = config.wait_warn_seconds;
  launcher.abort_seconds = config.wait_abort_seconds;
  launcher.set_state(bootstrap::pe_state::joined);
  const status s = build(w);
  if (failed(s)) take_apart(w);
  return s;
}

void furnish_world(world& w, bootstrap::launcher& launcher, const settings& config) {
  w.launcher = &launcher;
  w.config = config;
  w.pe = launcher.pe;
  w.n_pes = launcher.n_pes;
  if (w.near.n_pes == 0) w.near = {.n_pes = w.n_pes, .mine = w.pe};
  w.affordable = w.segment.plan().heap_bytes;
  w.pes_on_host = w.n_pes;
  set_waiting(w, {os::usable_cpus(), w.n_pes});
  if (w.near.n_pes != w.n_pes && failed(open_network(w, true))) os::leave_at_once(1);
  if (!open_tables(w)) os::leave_at_once(1);
  set_default_teams(w);
  w.own_control().state.store(bootstrap::pe_state::joined, std::memory_order_release);
}

void close_world(world& w) {
  if (w.background.engine.load(std::memory_order_acquire) != nullptr) w.background.finish(w);
  const bool arrived = w.beyond == nullptr || all_arrives_soon(w);
  if (w.beyond != nullptr) finish_questions(w);
  w.own_control().state.store(bootstrap::pe_state::finalized, std::memory_order_release);
  if (arrived) answer_for_finalized(w);
  w.launcher->set_state(bootstrap::pe_state::finalized);
  // The launcher's barrier is needed: the flags of a team's barrier are in the segment, which each PE unmaps next.
  if (failed(w.launcher->barrier())) log::error("shutdown: the launcher's barrier failed");
  take_apart(w);
}

}  // namespace oshen
