#include "coll/protocol/matcher.hpp"

#include <stdlib.h>

#include <algorithm>

#include "base/log.hpp"
#include "coll/shared_memory/peer_memory.hpp"
#include "op/call_site.hpp"

namespace oshen::coll {
namespace {

char* own_slice_of(const team& t) { return reinterpret_cast<char*>(t.ctx.control); }

// True if `data` is in this PE's slice, where peers can read it in place.
bool in_own_slice(const team& t, const char* data) {
  const auto offset = static_cast<std::size_t>(data - own_slice_of(t));
  return offset < t.home->segment.stride();
}

void append(matched_message*& list, matched_message& m) {
  matched_message** end = &list;
  while (*end != nullptr) end = &(*end)->next;
  m.next = nullptr;
  *end = &m;
}

void drop_done(matched_message*& list) {
  for (matched_message** at = &list; *at != nullptr;) {
    if ((*at)->done)
      *at = (*at)->next;
    else
      at = &(*at)->next;
  }
}

void combine_chunk(const matched_message& m, char* into, const char* from, std::size_t bytes) {
  const std::size_t elements = bytes / m.element_bytes;
  if (!m.theirs_first) {
    m.combine(into, from, elements);
    return;
  }
  alignas(cache_line) char theirs[eager_payload];
  for (std::size_t done = 0; done < bytes; done += sizeof theirs) {
    const std::size_t part = std::min(bytes - done, sizeof theirs);
    memcpy(theirs, from + done, part);
    m.combine(theirs, into + done, part / m.element_bytes);
    memcpy(into + done, theirs, part);
  }
}

void put_in_place(matched_message& m, const char* from, std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  if (m.combine == nullptr)
    memcpy(m.data + offset, from, bytes);
  else
    combine_chunk(m, m.data + offset, from, bytes);
}

}  // namespace

matcher::matcher(const collective_call& call) : call_(call) { call.members.used_workspace = true; }

void matcher::send(matched_message& m) {
  append(sends_, m);
  advance_send(m);
  if (m.done) drop_done(sends_);
}

void matcher::receive(matched_message& m) {
  append(receives_, m);
  take_early(m);
  if (m.done) drop_done(receives_);
}

void matcher::complete(matched_message& m) {
  if (m.done) return;
  const wait_info info{.routine = call_.routine, .pe = call_.members.world_pe(m.pe)};
  wait_for(*call_.members.home, info, [&] {
    advance();
    return m.done;
  });
}

void matcher::complete_all() {
  while (receives_ != nullptr) complete(*receives_);
  while (sends_ != nullptr) complete(*sends_);
}

void matcher::advance() {
  empty_inbox();
  for (matched_message* m = sends_; m != nullptr; m = m->next) advance_send(*m);
  drop_done(sends_);
  drop_done(receives_);
}

// ---- sending ------------------------------------------------------------------------------------------------

// Messages to one PE are posted in order. An earlier message that is not completely posted goes first.
bool matcher::is_behind_another(const matched_message& m) const {
  for (const matched_message* earlier = sends_; earlier != nullptr && earlier != &m; earlier = earlier->next)
    if (earlier->pe == m.pe && !earlier->done && earlier->finish < 0) return true;
  return false;
}

bool matcher::send_now(matched_message& m) {
  if (m.bytes > eager_payload || is_behind_another(m) || !push(m, m.bytes, -1)) return false;
  m.done = true;
  return true;
}

void matcher::advance_send(matched_message& m) {
  if (is_behind_another(m)) return;
  if (m.finish >= 0) {
    std::atomic<std::uint32_t>& taken = call_.members.own_workspace().near.messages.taken[m.finish];
    if (taken.load(std::memory_order_acquire) == 0) return;
    taken.store(0, std::memory_order_relaxed);
    finishes_in_use_ &= ~(1u << m.finish);
    m.done = true;
    return;
  }
  if (m.bytes > eager_payload && in_own_slice(call_.members, m.data)) {
    request_rendezvous(m);
    return;
  }
  do {
    const std::size_t bytes = std::min(m.bytes - m.moved, eager_payload);
    if (!push_or_say(m, bytes, -1)) return;
    m.moved += bytes;
  } while (m.moved < m.bytes);
  m.done = true;
}

void matcher::request_rendezvous(matched_message& m) {
  if (~finishes_in_use_ == 0) return;
  const int finish = std::countr_one(finishes_in_use_);
  if (!push_or_say(m, 0, finish)) return;
  finishes_in_use_ |= 1u << finish;
  m.finish = finish;
}

// A sender that finds the inbox full stays counted in `full` until it has a slot. So it is counted when it announces
// its sleep, whatever the receiver does in the meantime (tests/model/inbox_test.cpp).
bool matcher::push_or_say(matched_message& m, std::size_t bytes, int finish) {
  std::atomic<std::uint32_t>& full = call_.members.workspace_of(m.pe).near.messages.full;
  const bool pushed = push(m, bytes, finish);
  if (pushed && m.found_full) full.fetch_sub(1, std::memory_order_relaxed);
  if (!pushed && !m.found_full) full.fetch_add(1, std::memory_order_relaxed);
  m.found_full = !pushed;
  return pushed;
}

// Takes the next ticket of the peer's inbox, if its slot is free. Senders compete for the ticket, and its slot then
// belongs to the winner.
bool matcher::push(const matched_message& m, std::size_t bytes, int finish) {
  team& t = call_.members;
  inbox& box = t.workspace_of(m.pe).near.messages;
  std::uint64_t sequence = box.tail.load(std::memory_order_relaxed);
  eager_slot* slot = nullptr;
  for (;;) {
    slot = &box.slots[sequence % inbox_slots];
    // The sequence of a slot starts at 0. Each use advances it twice: when it is filled, and when it is emptied.
    const std::uint64_t round = sequence / inbox_slots * 2;
    const std::uint64_t seen = slot->sequence.load(std::memory_order_acquire);
    if (seen < round) return false;  // the receiver has not emptied it
    if (seen == round && box.tail.compare_exchange_weak(sequence, sequence + 1, std::memory_order_relaxed)) break;
    if (seen != round) sequence = box.tail.load(std::memory_order_relaxed);
  }
  slot->source_pe = t.my_pe;
  slot->tag = m.tag;
  slot->total = m.bytes;
  slot->offset = m.moved;
  slot->bytes = static_cast<std::uint32_t>(bytes);
  slot->finish = finish;
  slot->source_offset = static_cast<std::uint64_t>(m.data - own_slice_of(t));
  if (bytes != 0) memcpy(slot->payload, m.data + m.moved, bytes);
  slot->sequence.store(sequence / inbox_slots * 2 + 1, std::memory_order_release);  // pairs with empty_inbox()
  if (m.moved == 0) observe(t, event::message, m.pe, m.bytes);
  wake(wake_flag_of(t, m.pe));
  return true;
}

// ---- receiving ----------------------------------------------------------------------------------------------

void matcher::empty_inbox() {
  team& t = call_.members;
  inbox& box = t.own_workspace().near.messages;
  for (;;) {
    eager_slot& slot = box.slots[box.head % inbox_slots];
    const std::uint64_t filled = box.head / inbox_slots * 2 + 1;
    if (slot.sequence.load(std::memory_order_acquire) != filled) return;
    deliver(slot);
    ++box.head;
    slot.sequence.store(filled + 1, std::memory_order_release);  // pairs with push(), which may fill it again
    // A sender that finds the inbox full adds itself to `full`, and looks at the slot again before it sleeps. In
    // between it executes a membarrier, so a compiler barrier is enough here; where PEs share CPUs it only fences, and
    // so does the receiver (tests/model/inbox_test.cpp).
    if (t.home->waiting.flags_are_fenced) std::atomic_thread_fence(std::memory_order_seq_cst);
    asm volatile("" ::: "memory");
    if (box.full.load(std::memory_order_relaxed) != 0) wake_all(t);
  }
}

void matcher::deliver(const eager_slot& p) {
  for (matched_message* m = receives_; m != nullptr; m = m->next)
    if (!m->done && m->pe == p.source_pe && m->tag == p.tag) {
      take(*m, p);
      return;
    }
  keep(p);
}

void matcher::take(matched_message& m, const eager_slot& p) {
  team& t = call_.members;
  if (p.total != m.bytes) [[unlikely]]
    op::bad_argument(op::site_of(t, call_.routine), "PE %d of the team sends %zu bytes where %zu are expected", m.pe,
                     static_cast<std::size_t>(p.total), m.bytes);
  if (p.finish < 0) {
    put_in_place(m, reinterpret_cast<const char*>(p.payload), p.offset, p.bytes);
    m.moved += p.bytes;
  } else {
    const char* there = peer_address(t, p.source_pe, own_slice_of(t)) + p.source_offset;
    put_in_place(m, there, 0, p.total);
    m.moved = p.total;
    t.workspace_of(p.source_pe).near.messages.taken[p.finish].store(1, std::memory_order_release);
    wake(wake_flag_of(t, p.source_pe));
  }
  m.done = m.moved == p.total;
  if (m.done) observe(t, event::received, m.pe);
}

void matcher::take_early(matched_message& m) {
  for (unexpected_message** at = &call_.members.unexpected; *at != nullptr && !m.done;) {
    unexpected_message* p = *at;
    if (p->copy.source_pe != m.pe || p->copy.tag != m.tag) {
      at = &p->next;
      continue;
    }
    take(m, p->copy);
    *at = p->next;
    free(p);
  }
}

void matcher::keep(const eager_slot& p) {
  const std::size_t bytes = offsetof(unexpected_message, copy) + offsetof(eager_slot, payload) + p.bytes;
  auto* fresh = static_cast<unexpected_message*>(aligned_alloc(cache_line, round_up(bytes, cache_line)));
  if (fresh == nullptr) {
    log::error("%s: no memory for a message of PE %d that came early", call_.routine,
               call_.members.world_pe(p.source_pe));
    end_job(call_.members.home, 1, false);
  }
  fresh->next = nullptr;
  memcpy(static_cast<void*>(&fresh->copy), static_cast<const void*>(&p), offsetof(eager_slot, payload) + p.bytes);
  unexpected_message** end = &call_.members.unexpected;
  while (*end != nullptr) end = &(*end)->next;
  *end = fresh;
}

}  // namespace oshen::coll
