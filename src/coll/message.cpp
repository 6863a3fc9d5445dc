#include "coll/message.hpp"

#include <stdlib.h>

#include <algorithm>

#include "base/log.hpp"
#include "op/site.hpp"

namespace oshen::coll {
namespace {

char* own_slice_of(const team& t) { return reinterpret_cast<char*>(t.reach.control); }

// Peers can read the bytes where they are.
bool in_own_slice(const team& t, const char* data) {
  const auto offset = static_cast<std::size_t>(data - own_slice_of(t));
  return offset < t.home->segment.plan().stride();
}

void append(message*& list, message& m) {
  message** end = &list;
  while (*end != nullptr) end = &(*end)->next;
  m.next = nullptr;
  *end = &m;
}

void drop_done(message*& list) {
  for (message** at = &list; *at != nullptr;) {
    if ((*at)->done)
      *at = (*at)->next;
    else
      at = &(*at)->next;
  }
}

void combine_piece(const message& m, char* into, const char* from, std::size_t bytes) {
  const std::size_t elements = bytes / m.element_bytes;
  if (!m.theirs_first) {
    m.combine(into, from, elements);
    return;
  }
  alignas(cache_line) char theirs[parcel_payload];
  for (std::size_t done = 0; done < bytes; done += sizeof theirs) {
    const std::size_t part = std::min(bytes - done, sizeof theirs);
    memcpy(theirs, from + done, part);
    m.combine(theirs, into + done, part / m.element_bytes);
    memcpy(into + done, theirs, part);
  }
}

void put_in_place(message& m, const char* from, std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  if (m.combine == nullptr)
    memcpy(m.data + offset, from, bytes);
  else
    combine_piece(m, m.data + offset, from, bytes);
}

}  // namespace

mail::mail(const task& job) : job_(job) { job.members.used_room = true; }

void mail::send(message& m) {
  append(sends_, m);
  advance_send(m);
  if (m.done) drop_done(sends_);
}

void mail::receive(message& m) {
  append(receives_, m);
  take_early(m);
  if (m.done) drop_done(receives_);
}

void mail::complete(message& m) {
  if (m.done) return;
  const wait_note note{.routine = job_.routine, .pe = job_.members.world_pe(m.pe)};
  wait_for(*job_.members.home, note, [&] {
    advance();
    return m.done;
  });
}

void mail::complete_all() {
  while (receives_ != nullptr) complete(*receives_);
  while (sends_ != nullptr) complete(*sends_);
}

void mail::advance() {
  empty_inbox();
  for (message* m = sends_; m != nullptr; m = m->next) advance_send(*m);
  drop_done(sends_);
  drop_done(receives_);
}

// ---- sending ------------------------------------------------------------------------------------------------

// Messages to one PE leave in order: an earlier one that still has to be posted goes first.
bool mail::is_behind_another(const message& m) const {
  for (const message* earlier = sends_; earlier != nullptr && earlier != &m; earlier = earlier->next)
    if (earlier->pe == m.pe && !earlier->done && earlier->answer < 0) return true;
  return false;
}

bool mail::send_now(message& m) {
  if (m.bytes > parcel_payload || is_behind_another(m) || !push(m, m.bytes, -1)) return false;
  m.done = true;
  return true;
}

void mail::advance_send(message& m) {
  if (is_behind_another(m)) return;
  if (m.answer >= 0) {
    std::atomic<std::uint32_t>& taken = job_.members.own_room().mail.taken[m.answer];
    if (taken.load(std::memory_order_acquire) == 0) return;
    taken.store(0, std::memory_order_relaxed);
    answers_in_use_ &= ~(1u << m.answer);
    m.done = true;
    return;
  }
  if (m.bytes > parcel_payload && in_own_slice(job_.members, m.data)) {
    offer(m);
    return;
  }
  do {
    const std::size_t bytes = std::min(m.bytes - m.moved, parcel_payload);
    if (!push_or_say(m, bytes, -1)) return;
    m.moved += bytes;
  } while (m.moved < m.bytes);
  m.done = true;
}

void mail::offer(message& m) {
  if (~answers_in_use_ == 0) return;
  const int answer = std::countr_one(answers_in_use_);
  if (!push_or_say(m, 0, answer)) return;
  answers_in_use_ |= 1u << answer;
  m.answer = answer;
}

// A sender that has found no slot is counted at the inbox until it has found one: so it is counted when it announces
// that it sleeps, whatever the receiver has done between its looks (tests/model/inbox_test.cpp).
bool mail::push_or_say(message& m, std::size_t bytes, int answer) {
  std::atomic<std::uint32_t>& full = job_.members.room_of(m.pe).mail.full;
  const bool pushed = push(m, bytes, answer);
  if (pushed && m.found_full) full.fetch_sub(1, std::memory_order_relaxed);
  if (!pushed && !m.found_full) full.fetch_add(1, std::memory_order_relaxed);
  m.found_full = !pushed;
  return pushed;
}

// Takes the next turn of the peer's inbox, if its slot is free. Senders compete for the turn; then the slot is theirs.
bool mail::push(const message& m, std::size_t bytes, int answer) {
  team& t = job_.members;
  inbox& box = t.room_of(m.pe).mail;
  std::uint64_t turn = box.tail.load(std::memory_order_relaxed);
  parcel* slot = nullptr;
  for (;;) {
    slot = &box.slots[turn % inbox_slots];
    // A slot is zero at first: its turns are counted in rounds, two to each use.
    const std::uint64_t round = turn / inbox_slots * 2;
    const std::uint64_t seen = slot->turn.load(std::memory_order_acquire);
    if (seen < round) return false;  // still with the receiver
    if (seen == round && box.tail.compare_exchange_weak(turn, turn + 1, std::memory_order_relaxed)) break;
    if (seen != round) turn = box.tail.load(std::memory_order_relaxed);
  }
  slot->source = t.my_pe;
  slot->tag = m.tag;
  slot->total = m.bytes;
  slot->offset = m.moved;
  slot->bytes = static_cast<std::uint32_t>(bytes);
  slot->answer = answer;
  slot->address = static_cast<std::uint64_t>(m.data - own_slice_of(t));
  if (bytes != 0) memcpy(slot->payload, m.data + m.moved, bytes);
  slot->turn.store(turn / inbox_slots * 2 + 1, std::memory_order_release);  // pairs with empty_inbox()
  if (m.moved == 0) observe(t, event::message, m.pe, m.bytes);
  ring(bell_of(t, m.pe));
  return true;
}

// ---- receiving ----------------------------------------------------------------------------------------------

void mail::empty_inbox() {
  team& t = job_.members;
  inbox& box = t.own_room().mail;
  for (;;) {
    parcel& slot = box.slots[box.head % inbox_slots];
    const std::uint64_t filled = box.head / inbox_slots * 2 + 1;
    if (slot.turn.load(std::memory_order_acquire) != filled) return;
    deliver(slot);
    ++box.head;
    slot.turn.store(filled + 1, std::memory_order_release);  // pairs with push(): the slot may be written again
    // A sender that found the inbox full is counted before it looks again behind a barrier of its own.
    asm volatile("" ::: "memory");
    if (box.full.load(std::memory_order_relaxed) != 0) ring_all(t);
  }
}

void mail::deliver(const parcel& p) {
  for (message* m = receives_; m != nullptr; m = m->next)
    if (!m->done && m->pe == p.source && m->tag == p.tag) {
      take(*m, p);
      return;
    }
  keep(p);
}

void mail::take(message& m, const parcel& p) {
  team& t = job_.members;
  if (p.total != m.bytes) [[unlikely]]
    op::bad_argument({&t.reach, job_.routine}, "PE %d of the team sends %zu bytes where %zu are expected", m.pe,
                     static_cast<std::size_t>(p.total), m.bytes);
  if (p.answer < 0) {
    put_in_place(m, reinterpret_cast<const char*>(p.payload), p.offset, p.bytes);
    m.moved += p.bytes;
  } else {
    const char* there = at_pe(t, p.source, own_slice_of(t)) + p.address;
    put_in_place(m, there, 0, p.total);
    m.moved = p.total;
    t.room_of(p.source).mail.taken[p.answer].store(1, std::memory_order_release);
    ring(bell_of(t, p.source));
  }
  m.done = m.moved == p.total;
  if (m.done) observe(t, event::heard, m.pe);
}

void mail::take_early(message& m) {
  for (early_parcel** at = &job_.members.early; *at != nullptr && !m.done;) {
    early_parcel* p = *at;
    if (p->copy.source != m.pe || p->copy.tag != m.tag) {
      at = &p->next;
      continue;
    }
    take(m, p->copy);
    *at = p->next;
    free(p);
  }
}

void mail::keep(const parcel& p) {
  const std::size_t bytes = offsetof(early_parcel, copy) + offsetof(parcel, payload) + p.bytes;
  auto* fresh = static_cast<early_parcel*>(aligned_alloc(cache_line, round_up(bytes, cache_line)));
  if (fresh == nullptr) {
    log::error("%s: no memory for a message of PE %d that came early", job_.routine, job_.members.world_pe(p.source));
    end_job(job_.members.home, 1, false);
  }
  fresh->next = nullptr;
  memcpy(static_cast<void*>(&fresh->copy), static_cast<const void*>(&p), offsetof(parcel, payload) + p.bytes);
  early_parcel** end = &job_.members.early;
  while (*end != nullptr) end = &(*end)->next;
  *end = fresh;
}

}  // namespace oshen::coll
