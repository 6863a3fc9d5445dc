#include "world/team.hpp"

#include <stdlib.h>

#include "base/log.hpp"
#include "world/network.hpp"
#include "world/team_heap.hpp"
#include "world/world.hpp"

namespace oshen {
namespace {

// The distance from this PE's slice to that of PE `pe` of the job.
std::ptrdiff_t offset_to(const world& w, int pe) {
  const int slice = w.near.slice_of(pe);
  if (slice < 0) return context::no_offset;
  return static_cast<std::ptrdiff_t>(slice - w.near.mine) * static_cast<std::ptrdiff_t>(w.segment.stride());
}

// Finds the near range of a team. False if the team's PEs, or the slices of the node, have no constant stride.
bool init_near_range(context& c, const world& w, const team& t) {
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

bool team::has(int of_world) const {
  for (int i = 0; i < n_pes; ++i)
    if (world_pe(i) == of_world) return true;
  return false;
}

void init_context(context& c, world& w, team& t) {
  const os::memory_range data = w.statics.range();
  c.heap_start = reinterpret_cast<std::uintptr_t>(w.segment.heap(w.near.mine));
  set_reach(c, w, w.segment.plan().heap_bytes);
  if (data.bytes != 0) {
    c.data_start = reinterpret_cast<std::uintptr_t>(data.start);
    c.data_bytes = data.bytes;
    c.data_to_slice = w.segment.data(w.near.mine) - data.start;
  }
  c.n_pes = static_cast<std::uint32_t>(t.n_pes);
  c.control = &w.own_control();
  c.home = &w;
  c.members = &t;
  // Under OSHEN_CHECK the near range is empty, so that op/slow_path.cpp checks every operation.
  if (w.config.check || !init_near_range(c, w, t)) init_list(c, w, t);
  t.spans = w.beyond != nullptr && spans_nodes(w, t);
  c.by_card = has_card_atomics(w) && w.config.atomics == atomics_policy::by_card;
  c.atomic_near_count = c.by_card ? 0 : c.near_count;
  c.channel = t.spans || has_card_atomics(w) ? &w.beyond->collective_channel : nullptr;
  c.special = c.channel != nullptr ? 1 : 0;
}

void need_list(team& t) {
  if (t.ctx.peer_offsets == nullptr) init_list(t.ctx, *t.home, t);
}

void take_slot(team& t, world& w, int slot) {
  control_page& page = w.own_control();
  control_annex& annex = w.own_annex();
  t.slot = slot;
  t.slot_here = slot < resident_slots ? &page.team_slots[slot] : &annex.team_slots[slot - resident_slots];
  t.workspace_here = slot < resident_workspaces ? &page.workspaces[slot] : &annex.workspace(slot);
}

void free_memory(team& t) {
  free(const_cast<int*>(t.list));
  free(const_cast<std::ptrdiff_t*>(t.ctx.peer_offsets));
  free(t.scratch);
  free(t.known_domains);
  t.list = nullptr;
  t.ctx.peer_offsets = nullptr;
  t.scratch = nullptr;
  t.known_domains = nullptr;
}

}  // namespace oshen
