#include "coll/form.hpp"

#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "coll/algorithms.hpp"
#include "coll/async/engine.hpp"
#include "coll/selection.hpp"
#include "os/memory.hpp"
#include "world/idle.hpp"

namespace oshen::coll {
namespace {

constexpr int slot_words = max_teams / 64;

// Tells announcements apart: origin and members, mixed into one number that is never 0.
std::uint64_t tag_of(const membership& who) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ who.origin * 0x9e3779b97f4a7c15u;
  for (int i = 0; i < who.n_pes; ++i)
    hash = (hash ^ static_cast<std::uint64_t>(who.world_pe(i) + 1)) * 0x100000001b3u;
  return hash | 1;
}

std::atomic<std::uint64_t>& busy_word(world& w, int pe, int slot) {
  return w.control(pe).busy_slots[slot / 64];
}
std::uint64_t bit_of(int slot) { return std::uint64_t{1} << (slot % 64); }

// Lowest slot from `from` on that no member uses now; -1 when there is none.
int find_free_slot(world& w, const membership& who, int from) {
  for (int word = from / 64; word < slot_words; ++word) {
    std::uint64_t busy = word == from / 64 ? bit_of(from) - 1 : 0;
    for (int i = 0; i < who.n_pes && ~busy != 0; ++i)
      busy |= w.control(who.world_pe(i)).busy_slots[word].load(std::memory_order_acquire);
    if (~busy != 0) return word * 64 + std::countr_one(busy);
  }
  return -1;
}

// Marks the slot on all members; undoes it and fails when another leader was faster on one of them.
bool claim(world& w, const membership& who, int slot) {
  for (int i = 0; i < who.n_pes; ++i) {
    const std::uint64_t before = busy_word(w, who.world_pe(i), slot).fetch_or(bit_of(slot), std::memory_order_acq_rel);
    if ((before & bit_of(slot)) == 0) continue;
    while (i-- > 0) busy_word(w, who.world_pe(i), slot).fetch_and(~bit_of(slot), std::memory_order_acq_rel);
    return false;
  }
  return true;
}

int claim_slot(world& w, const membership& who) {
  int slot = find_free_slot(w, who, 0);
  while (slot >= 0 && !claim(w, who, slot)) slot = slot + 1 < max_teams ? find_free_slot(w, who, slot + 1) : -1;
  return slot;
}

// ---- telling the members -------------------------------------------------------------------------------

announcement* take_place(world& w, int pe) {
  announcement* places = w.control(pe).from_leader(w.pe);
  for (int i = 0; i < announcements_per_leader; ++i)
    if (places[i].taken.exchange(1, std::memory_order_acq_rel) == 0) return &places[i];
  return nullptr;
}

void tell(world& w, int pe, std::uint64_t tag, int slot, const char* routine) {
  announcement* place = nullptr;
  const wait_note note{.routine = routine, .pe = pe};
  wait_for(w, note, [&] { return (place = take_place(w, pe)) != nullptr; });
  place->slot = slot;
  place->tag.store(tag, std::memory_order_release);
  ring(w.control(pe).bell);
}

bool is_announced(world& w, int pe, std::uint64_t tag) {
  const announcement* places = w.control(pe).from_leader(w.pe);
  for (int i = 0; i < announcements_per_leader; ++i)
    if (places[i].tag.load(std::memory_order_acquire) == tag) return true;
  return false;
}

// The leader stays until all have heard, so that no place holds two announcements of one tag and no thread has
// more than one under way.
void announce(world& w, const membership& who, int slot, const char* routine) {
  const std::uint64_t tag = tag_of(who);
  for (int i = 1; i < who.n_pes; ++i) tell(w, who.world_pe(i), tag, slot, routine);
  for (int i = 1; i < who.n_pes; ++i) {
    const int pe = who.world_pe(i);
    const wait_note note{.routine = routine, .pe = pe};
    wait_for(w, note, [&] { return !is_announced(w, pe, tag); });
  }
}

announcement* find_announcement(world& w, int leader, std::uint64_t tag) {
  announcement* places = w.own_control().from_leader(leader);
  for (int i = 0; i < announcements_per_leader; ++i)
    if (places[i].tag.load(std::memory_order_acquire) == tag) return &places[i];
  return nullptr;
}

int hear_slot(world& w, const membership& who, const char* routine) {
  const int leader = who.world_pe(0);
  announcement* found = nullptr;
  const wait_note note{.routine = routine, .pe = leader};
  wait_for(w, note, [&] { return (found = find_announcement(w, leader, tag_of(who))) != nullptr; });
  const int slot = found->slot;
  found->tag.store(0, std::memory_order_release);
  found->taken.store(0, std::memory_order_release);
  ring(w.control(leader).bell);
  return slot;
}

// ---- the team itself -----------------------------------------------------------------------------------

const int* copy_list(const membership& who) {
  if (who.list == nullptr) return nullptr;
  const auto bytes = static_cast<std::size_t>(who.n_pes) * sizeof(int);
  auto* copy = static_cast<int*>(malloc(bytes));
  if (copy != nullptr) memcpy(copy, who.list, bytes);
  return copy;
}

team* make_team(world& w, const membership& who, int slot) {
  team* t = w.teams.make();
  if (t == nullptr) return nullptr;
  t->home = &w;
  t->slot = slot;
  t->n_pes = who.n_pes;
  t->my_pe = who.find(w.pe);
  t->start = who.start;
  t->stride = who.stride;
  t->list = copy_list(who);
  t->num_contexts = max_contexts;
  t->watcher = w.watcher;
  aim(t->reach, w, *t);
  forget_choices(*t);
  return t;
}

void wipe_slot(world& w, int slot, bool used_room) {
  memset(static_cast<void*>(&w.own_control().slots[slot]), 0, sizeof(team_slot));
  if (used_room) os::empty_pages(&w.own_control().team_rooms[slot], sizeof(room));
  busy_word(w, w.pe, slot).fetch_and(~bit_of(slot), std::memory_order_release);
}

}  // namespace

int membership::find(int pe) const {
  for (int i = 0; i < n_pes; ++i)
    if (world_pe(i) == pe) return i;
  return -1;
}

// Every member has as many teams as handles, so a slot that is free on all can be used by all.
team* form(world& w, const membership& who, const char* routine) {
  int slot = -1;
  if (who.world_pe(0) == w.pe) {
    slot = claim_slot(w, who);
    announce(w, who, slot, routine);
  } else {
    slot = hear_slot(w, who, routine);
  }
  if (slot >= 0) return make_team(w, who, slot);
  if (who.world_pe(0) == w.pe)
    log::error("%s: all %d team slots are in use on some PE; destroy teams that are no longer needed", routine, max_teams);
  return nullptr;
}

// The last sync is one in which a PE looks only at flags in its own slot: when it has seen them all, nobody writes
// there any more, and nobody needs to read there.
void dissolve(team& t, const char* routine) {
  world& w = *t.home;
  async::end_team(t, routine);
  dissemination_sync.run(task{.members = t, .routine = routine});
  w.contexts.each([&](context& c) {
    if (c.members == &t) w.contexts.drop(&c);
  });
  const int slot = t.slot;
  const bool used_room = t.used_room;
  free_memory(t);
  w.teams.drop(&t);
  wipe_slot(w, slot, used_room);
}

team* for_active_set(world& w, int start, int log_stride, int size, const char* routine) {
  const std::uint64_t key = std::uint64_t{1} << 63 | static_cast<std::uint64_t>(log_stride) << 56 |
                            static_cast<std::uint64_t>(start) << 28 | static_cast<std::uint64_t>(size);
  team* known = nullptr;
  w.teams.each([&](team& t) {
    if (t.active_set_key == key) known = &t;
  });
  if (known != nullptr) return known;
  team* fresh = form(w, {.n_pes = size, .start = start, .stride = 1 << log_stride}, routine);
  if (fresh != nullptr) fresh->active_set_key = key;
  return fresh;
}

}  // namespace oshen::coll
