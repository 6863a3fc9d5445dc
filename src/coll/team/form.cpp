#include "coll/team/form.hpp"

#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "coll/protocol/operand_stream.hpp"
#include "coll/select/registry.hpp"
#include "coll/select/selection.hpp"
#include "coll/shared_memory/peer_memory.hpp"
#include "op/control_access.hpp"
#include "op/order.hpp"
#include "os/clock.hpp"
#include "os/memory.hpp"
#include "wait/backoff.hpp"
#include "world/team_heap.hpp"

namespace oshen::coll {
namespace {

constexpr int slot_words = max_teams / 64;
constexpr std::uint64_t first_pause_ns = 10000;
// Less than the time between two looks of a wait (wait/backoff.cpp): between them the leader has asked.
constexpr std::uint64_t longest_pause_ns = 40000000;

// A hash of origin and members, which identifies the offer of a slot. It is never 0.
std::uint64_t tag_of(const membership& who) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ who.origin * 0x9e3779b97f4a7c15u;
  const auto mix = [&](int number) { hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x100000001b3u; };
  if (who.list != nullptr) {
    for (int i = 0; i < who.n_pes; ++i) mix(who.list[i] + 1);
  } else {
    for (const int number : {who.start, who.stride, who.n_pes}) mix(number);
  }
  return hash | 1;
}

using transport::operation;

std::uint64_t bit_of(int slot) { return std::uint64_t{1} << (slot % 64); }

// The times at which a leader asks a member again. A question to another node is a message, which keeps both PEs awake,
// so each pause is twice as long as the one before it. A member of this node is asked without pauses.
class pauses {
 public:
  explicit pauses(bool is_near) : is_near_(is_near) {}
  bool are_over() {
    if (is_near_) return true;
    const std::uint64_t now = os::now_ns();
    if (now < next_ns_) return false;
    next_ns_ = now + pause_ns_;
    if (pause_ns_ < longest_pause_ns) pause_ns_ *= 2;
    return true;
  }

 private:
  bool is_near_;
  std::uint64_t next_ns_ = 0;
  std::uint64_t pause_ns_ = first_pause_ns;
};

// The leader's access to the control pages of all members.
class leadership {
 public:
  leadership(world& w, const membership& who, const char* routine) : w_(w), who_(who), pages_{w, routine} {}

  // Claims a slot on all members; -1 if there is none.
  int claim_slot() const {
    const int end = w_.n_team_slots;
    if (const int first = own_free_slot(); first >= 0 && first < end && claim(first)) return first;
    int slot = find_free_slot(0);
    while (slot >= 0 && slot < end && !claim(slot)) slot = slot + 1 < end ? find_free_slot(slot + 1) : -1;
    return slot < end ? slot : -1;
  }

  // Sends the slot to all members, and waits until all have received it. So a PE never has two offers with the same
  // tag, and a thread has at most one formation under way.
  void announce(int slot) const {
    const std::uint64_t tag = tag_of(who_);
    for (int i = 1; i < who_.n_pes; ++i) tell(who_.world_pe(i), tag, slot);
    for (int i = 1; i < who_.n_pes; ++i) {
      const int pe = who_.world_pe(i);
      const wait_info info{.routine = pages_.routine, .pe = pe, .works = true};
      pauses between(w_.is_near(pe));
      wait_for(w_, info, [&] { return between.are_over() && !is_offered(pe, tag); });
    }
  }

 private:
  std::atomic<std::uint64_t>& own_busy(int word) const { return w_.own_control().busy_slots[word]; }

  // The lowest slot that is free on this PE. It is usually free on the others, too, so they need not be asked first.
  int own_free_slot() const {
    for (int word = 0; word < slot_words; ++word)
      if (const std::uint64_t busy = own_busy(word).load(std::memory_order_relaxed); ~busy != 0)
        return word * 64 + std::countr_one(busy);
    return -1;
  }

  // The lowest slot from `from` on that no member uses now; -1 if there is none.
  int find_free_slot(int from) const {
    for (int word = from / 64; word < slot_words; ++word) {
      std::uint64_t busy = word == from / 64 ? bit_of(from) - 1 : 0;
      for (int i = 0; i < who_.n_pes && ~busy != 0; ++i) busy |= pages_.load(who_.world_pe(i), own_busy(word));
      if (~busy != 0) return word * 64 + std::countr_one(busy);
    }
    return -1;
  }

  // Marks the slot as busy on all members. If another leader has marked it on one of them, undoes this and returns
  // false.
  bool claim(int slot) const {
    for (int i = 0; i < who_.n_pes; ++i) {
      const std::uint64_t before =
          pages_.change(who_.world_pe(i), own_busy(slot / 64), operation::bit_or, bit_of(slot));
      if ((before & bit_of(slot)) == 0) continue;
      while (i-- > 0) pages_.change(who_.world_pe(i), own_busy(slot / 64), operation::bit_and, ~bit_of(slot));
      return false;
    }
    return true;
  }

  // The slot offers of this leader. They are at the same offset in every control page.
  slot_offer* own_slot_offers() const { return w_.own_control().from_leader(w_.pe); }

  slot_offer* take_slot_offer(int pe) const {
    slot_offer* offers = own_slot_offers();
    for (int i = 0; i < slot_offers_per_leader; ++i)
      if (pages_.change(pe, offers[i].taken, operation::swap, 1u) == 0) return &offers[i];
    return nullptr;
  }

  // Each change is complete before the next one begins, so the tag is written last.
  void tell(int pe, std::uint64_t tag, int slot) const {
    slot_offer* offer = nullptr;
    const wait_info info{.routine = pages_.routine, .pe = pe, .works = true};
    pauses between(w_.is_near(pe));
    wait_for(w_, info, [&] { return between.are_over() && (offer = take_slot_offer(pe)) != nullptr; });
    pages_.change(pe, offer->slot, operation::swap, slot);
    pages_.change(pe, offer->tag, operation::swap, tag);
  }

  bool is_offered(int pe, std::uint64_t tag) const {
    const slot_offer* offers = own_slot_offers();
    for (int i = 0; i < slot_offers_per_leader; ++i)
      if (pages_.load(pe, offers[i].tag) == tag) return true;
    return false;
  }

  world& w_;
  const membership& who_;
  op::control_access pages_;
};

slot_offer* find_slot_offer(world& w, int leader, std::uint64_t tag) {
  slot_offer* offers = w.own_control().from_leader(leader);
  for (int i = 0; i < slot_offers_per_leader; ++i)
    if (offers[i].tag.load(std::memory_order_acquire) == tag) return &offers[i];
  return nullptr;
}

int hear_slot(world& w, const membership& who, const char* routine) {
  const int leader = who.world_pe(0);
  const std::uint64_t tag = tag_of(who);
  slot_offer* found = nullptr;
  const wait_info info{.routine = routine, .pe = leader};
  wait_for(w, info, [&] { return (found = find_slot_offer(w, leader, tag)) != nullptr; });
  const int slot = found->slot.load(std::memory_order_relaxed);
  found->tag.store(0, std::memory_order_release);
  found->taken.store(0, std::memory_order_release);
  if (w.is_near(leader)) wake(w.control(leader).wakeup);  // a far leader polls
  return slot;
}

// ---- the last sync of a team ----------------------------------------------------------------------------------

std::atomic<std::uint64_t>& endings_of(const team& t) { return peer_address(t, 0, t.ctx.control)->endings[t.slot]; }

// Like the central sync, but the PEs watch `endings`, the number of teams of this slot that have ended. That word is
// not cleared with the slot.
void count_and_part(const collective_call& call) {
  team& t = call.members;
  const auto n = static_cast<std::uint64_t>(t.n_pes);
  std::atomic<std::uint64_t>& ended = endings_of(t);
  observe(t, event::sync, 0);
  if ((t.slot_of(0).n_arrived.fetch_add(1, std::memory_order_acq_rel) + 1) % n == 0) {
    ended.store(t.ended_before + 1, std::memory_order_release);
    wake_all(t);
    return;
  }
  const wait_info info{.routine = call.routine};
  wait_for(*t.home, info, [&] { return ended.load(std::memory_order_acquire) > t.ended_before; });
}

// The slot belongs to one team at a time, so `endings` does not change before this team ends.
void note_endings(team& t) {
  if (!t.spans) t.ended_before = endings_of(t).load(std::memory_order_relaxed);
}

// The last sync of a team. Afterwards no PE reads or writes the slot of another PE, so the slot may be cleared. If PEs
// share CPUs the central form is used, because each round of a dissemination then waits for other PEs to run.
void sync_and_part(const collective_call& call) {
  if (call.members.home->waiting.cpu_for_each || call.members.spans)
    dissemination_sync.run(call);
  else
    count_and_part(call);
}

// ---- the team itself -----------------------------------------------------------------------------------

const int* copy_list(world& w, const membership& who, const char* routine) {
  if (who.list == nullptr) return nullptr;
  auto* copy = static_cast<int*>(private_memory(w, who.n_pes, sizeof(int), routine));
  memcpy(copy, who.list, static_cast<std::size_t>(who.n_pes) * sizeof(int));
  return copy;
}

team* make_team(world& w, const membership& who, int slot, const char* routine) {
  team* t = w.teams.make();
  if (t == nullptr) return nullptr;
  t->home = &w;
  take_slot(*t, w, slot);
  t->n_pes = who.n_pes;
  t->my_pe = who.find(w.pe);
  t->start = who.start;
  t->stride = who.stride;
  t->list = copy_list(w, who, routine);
  t->num_contexts = max_contexts;
  t->watcher = w.watcher;
  init_context(t->ctx, w, *t);
  reach_team_heap(t->ctx, w);
  note_endings(*t);
  forget_choices(*t);
  return t;
}

// With a network the pages are cleared, not released: the network may have pinned them, and would write to the released
// pages.
void wipe_workspace(const world& w, team_workspace* workspace) {
  if (w.beyond == nullptr)
    os::empty_pages(workspace, sizeof(team_workspace));
  else
    memset(static_cast<void*>(workspace), 0, sizeof(team_workspace));
}

// Clears the slot of a team that has ended, and marks it as free.
void wipe_slot(world& w, int index, team_slot* slot, team_workspace* used_workspace) {
  memset(static_cast<void*>(slot), 0, sizeof(team_slot));
  if (used_workspace != nullptr) wipe_workspace(w, used_workspace);
  w.own_control().busy_slots[index / 64].fetch_and(~bit_of(index), std::memory_order_release);
}

}  // namespace

int membership::find(int pe) const {
  if (list == nullptr) {
    const int distance = pe - start, index = stride != 0 ? distance / stride : 0;
    return index >= 0 && index < n_pes && index * stride == distance ? index : -1;
  }
  for (int i = 0; i < n_pes; ++i)
    if (world_pe(i) == pe) return i;
  return -1;
}

void* private_memory(world& w, int n, std::size_t bytes, const char* routine) {
  void* const start = calloc(static_cast<std::size_t>(n), bytes);
  if (start != nullptr) return start;
  log::error("%s: no memory for a team of %d PEs", routine, n);
  end_job(&w, 1, false);
}

// A PE has as many team handles as team slots, so every member can use a slot that is free on all.
team* form(world& w, const membership& who, const char* routine) {
  int slot = -1;
  if (who.world_pe(0) == w.pe) {
    const leadership lead(w, who, routine);
    slot = lead.claim_slot();
    // Before the members learn of it: one of them may end the job.
    if (slot < 0 && who.advice != nullptr)
      log::error("%s: all %d team slots are in use on some PE; %s", routine, w.n_team_slots, who.advice);
    lead.announce(slot);
  } else {
    slot = hear_slot(w, who, routine);
  }
  return slot >= 0 ? make_team(w, who, slot, routine) : nullptr;
}

void dissolve(team& t, const char* routine) {
  world& w = *t.home;
  if (w.background.engine.load(std::memory_order_acquire) != nullptr) w.background.finish_team(t, routine);
  await_operand_credits(t, routine);
  sync_and_part(collective_call{.members = t, .routine = routine});
  w.contexts.each([&](context& c) {
    if (c.members != &t) return;
    op::quiet({&c, routine});
    op::remote::close_channel(c);
    w.contexts.drop(&c);
  });
  const int index = t.slot;
  team_slot* const slot = t.slot_here;
  team_workspace* const used_workspace = t.used_workspace ? t.workspace_here : nullptr;
  if (t.operands_here != nullptr) clear_operand_counts(*t.operands_here);
  free_memory(t);
  w.teams.drop(&t);
  wipe_slot(w, index, slot, used_workspace);
}

team* for_active_set(world& w, int start, int log_stride, int size, std::uint64_t sync, const char* routine) {
  const std::uint64_t key = std::uint64_t{1} << 63 | static_cast<std::uint64_t>(log_stride) << 56 |
                            static_cast<std::uint64_t>(start) << 28 | static_cast<std::uint64_t>(size);
  team* known = nullptr;
  w.teams.each([&](team& t) {
    using word = std::atomic_ref<std::uint64_t>;  // another thread may be forming a team
    if (word(t.active_set_key).load(std::memory_order_acquire) == key && t.active_set_sync == sync) known = &t;
  });
  if (known != nullptr) return known;
  const membership who{.n_pes = size,
                       .start = start,
                       .stride = 1 << log_stride,
                       .origin = sync,
                       .advice =
                           "an active set keeps its slot, with SHMEM_THREAD_MULTIPLE one for each pSync; use "
                           "fewer of them, or teams"};
  team* fresh = form(w, who, routine);
  if (fresh == nullptr) return nullptr;
  fresh->active_set_sync = sync;
  std::atomic_ref<std::uint64_t>(fresh->active_set_key).store(key, std::memory_order_release);
  return fresh;
}

}  // namespace oshen::coll
