#include "detector.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "plain.hpp"
#include "report.hpp"
#include "sites.hpp"

namespace races {

detector of_this_pe;
watched_addresses watched;

location detector::find(const void* address) const {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  if (a - statics_.start < statics_.bytes) return {static_cast<int>(me_), a - statics_.start};
  if (a - heap_.start < heap_.bytes) return {static_cast<int>(me_), statics_.bytes + (a - heap_.start)};
  if (peers_.empty() || a < peers_.front().start) return {};
  const auto after = std::ranges::upper_bound(peers_, a, {}, &peer_area::start);
  const peer_area& p = *std::prev(after);
  if (a - p.start >= p.bytes) return {};
  return {p.pe, p.offset + (a - p.start)};
}

location detector::find_at(const void* address, int pe) const {
  location here = find(address);
  if (!here || here.pe != static_cast<int>(me_) || pe < 0 || pe >= static_cast<int>(pes_)) return {};
  here.pe = pe;
  return here;
}

access detector::made(const operation& what, std::uint32_t bytes) const {
  access a;
  a.clock = clock();
  a.what = (what.site & access::site_mask) | bytes << access::bytes_at |
           static_cast<std::uint32_t>(what.how) << access::how_at | (what.writes ? access::writes_bit : 0) |
           (what.atomic ? access::atomic_bit : 0) | (what.stores ? access::stores_bit : 0) |
           (what.buffer ? access::buffer_bit : 0);
  a.maker = access::made_by(me_, what.target, this_thread().id);
  return a;
}

namespace {

// The data of a put with signal may be on any context.
bool same_context(const access& a, const access& b) {
  return a.how() == b.how() || a.how() == channel::signal || b.how() == channel::signal;
}

}  // namespace

bool detector::ordered_in_pe(const access& before, const access& now, bool fenced) const {
  const channel how = before.how();
  if (how == channel::program)
    return before.thread() == now.thread() || own().program(me_, before.thread()) >= before.clock;
  if (own().clock(me_, how, before.target()) >= before.clock) return true;
  return fenced && !before.is_buffer() && before.target() == now.target() && same_context(before, now) &&
         fences_[fence_index(how, before.target())] >= before.clock;
}

// The source of a put of this PE, which has called quiet_local since. The source of a get is the memory of another PE.
bool detector::is_released_source(const access& before, location where) const {
  return before.pe() == me_ && where.pe == static_cast<int>(me_) && before.is_buffer() && !before.is_lent() &&
         !before.writes() && released_[static_cast<std::size_t>(before.how())] >= before.clock;
}

bool detector::ordered(const access& before, const access& now, bool fenced) const {
  if (before.is_lent()) return false;
  if (before.pe() == me_) return ordered_in_pe(before, now, fenced);
  if (before.stores()) return own().stores(before.pe(), before.thread()) >= before.clock;
  if (before.how() == channel::program) return own().program(before.pe(), before.thread()) >= before.clock;
  return own().clock(before.pe(), before.how(), before.target()) >= before.clock;
}

namespace {

bool equal(const cell& a, const cell& b) {
  shadow_record differ = 0;
  for (int i = 0; i < cell::n; ++i) differ |= a.records[i] ^ b.records[i];
  return differ == 0;
}

// A bit for each byte from `low` up to `high`.
std::uint32_t bytes_of_cell(std::size_t low, std::size_t high) {
  return (0xffu << low) & (0xffu >> (cell::memory - high));
}

// Whether they access a common byte, one of them writes, and not both are atomic.
bool conflict(const access& a, const access& b) {
  const std::uint32_t both = a.what & b.what, either = a.what | b.what;
  return (both & access::bytes_mask) != 0 && (either & access::writes_bit) != 0 && (both & access::atomic_bit) == 0;
}

// Whether `now` stands for `before` in all later checks: what races with `before` then also races with `now`.
bool replaces(const access& now, const access& before) {
  constexpr std::uint32_t kept = access::bytes_mask | access::writes_bit;
  return (before.what & ~now.what & kept) == 0 && (now.what & ~before.what & access::atomic_bit) == 0;
}

}  // namespace

// Checks one access against the accesses in its cell, and keeps it there. A race is kept in `found`, unless that has
// one. The caller holds the lock of the cell. `kind`: its number; 0 keeps no record.
[[gnu::always_inline]] inline void detector::visit(cell& c, location where, const access& now, std::uint32_t kind,
                                                   bool fenced, race& found) const {
  const shadow_record kept = packed(now.clock, kind, now.bytes());
  const std::uint32_t this_program = access::made_by(me_, 0, now.thread());
  shadow_record* free = nullptr;
  for (shadow_record& r : c.records) {
    if (r == 0) {
      if (free == nullptr) free = &r;
      continue;
    }
    if ((r ^ kept) >> 8 == 0) {
      r |= kept;
      return;
    }
    const access before = region_.unpacked(r);
    const bool of_this_thread = before.maker == this_program && (before.what & access::how_mask) == 0;
    if (!of_this_thread && !ordered(before, now, fenced) && !is_released_source(before, where)) {
      if (!conflict(before, now)) continue;
      if (!found) found = {where, before, now};
    }
    if (!replaces(now, before)) continue;
    if (free == nullptr) {
      free = &r;
    } else {
      r = 0;
    }
  }
  // Without room one of the accesses is forgotten, in turn.
  if (free == nullptr) free = &c.records[(now.clock + now.site()) % cell::n];
  *free = kind != 0 ? kept : 0;
}

// Neighbouring cells often hold the same, in arrays of pairs every other one. Then the first one says what becomes of
// the others.
void detector::visit_block(location where, std::size_t bytes, access now, std::uint32_t kind, bool fenced,
                           race& found) const {
  const auto pe = static_cast<std::uint32_t>(where.pe);
  const std::scoped_lock lock(region_.lock_at(pe, where.offset));
  if (const std::size_t low = where.offset % cell::memory; low + bytes <= cell::memory) {
    now.what |= bytes_of_cell(low, low + bytes) << access::bytes_at;
    visit(region_.shadow(pe, where.offset), where, now, kind, fenced, found);
    return;
  }
  struct {
    cell seen, became;
    bool valid = false;
  } last[2];
  for (const std::size_t end = where.offset + bytes; where.offset < end;) {
    const std::size_t low = where.offset % cell::memory, high = std::min(cell::memory, low + (end - where.offset));
    cell& c = region_.shadow(pe, where.offset);
    const bool whole = high - low == cell::memory;
    auto& same = last[where.offset / cell::memory % 2];
    if (whole && same.valid && equal(c, same.seen)) {
      c = same.became;
    } else {
      now.what = (now.what & ~access::bytes_mask) | bytes_of_cell(low, high) << access::bytes_at;
      same.seen = c;
      visit(c, where, now, kind, fenced, found);
      same.became = c;
      same.valid = whole;
    }
    where.offset += high - low;
  }
}

void detector::check(location where, std::size_t bytes, const operation& what) {
  if (!where || bytes == 0) return;
  race found;
  const access now = made(what, 0);
  const std::uint32_t kind = region_.number_of(now.kind());
  for (const std::size_t end = where.offset + bytes; where.offset < end;) {
    const std::size_t here = std::min(end - where.offset, cell::block - where.offset % cell::block);
    visit_block(where, here, now, kind, what.fenced, found);
    where.offset += here;
  }
  if (found) report_race(*this, found);
}

// This PE has read the flag, so what was written to it and is known here has been delivered.
void detector::arrived(location flag, std::size_t bytes) {
  const auto pe = static_cast<std::uint32_t>(flag.pe);
  for (std::size_t at = flag.offset / cell::memory * cell::memory; at < flag.offset + bytes; at += cell::memory) {
    const std::scoped_lock lock(region_.lock_at(pe, at));
    for (shadow_record& r : region_.shadow(pe, at).records) {
      if (r == 0) continue;
      access a = region_.unpacked(r);
      if ((a.what & access::how_mask) == 0 || !a.writes() || a.is_buffer()) continue;
      if (own().program(a.pe(), a.thread()) < a.clock) continue;
      a.what &= ~access::how_mask;  // channel::program
      if (const std::uint32_t kind = region_.number_of(a.kind()); kind != 0) r = packed(a.clock, kind, a.bytes());
    }
  }
}

void detector::touch_cell(std::size_t offset, std::uint32_t bytes, std::uint32_t kind) const {
  if (kind == 0) return;
  const access now = region_.unpacked(packed(clock(), kind, bytes));
  race found;
  const location where{static_cast<int>(me_), offset};
  {
    const std::scoped_lock lock(region_.lock_at(me_, offset));
    visit(region_.shadow(me_, offset), where, now, kind, false, found);
  }
  if (found) report_race(*this, found);
}

void detector::touch(const void* address, std::size_t bytes, bool writes, std::uint32_t routine, const void* caller) {
  const location where = find(address);
  if (!where) {
    if (loans_.empty()) return;
    const std::scoped_lock lock(mutex_);
    const operation what{.site = site_of(routine, caller, bytes), .writes = writes};
    check_loans(reinterpret_cast<std::uintptr_t>(address), bytes, what);
    return;
  }
  const std::size_t low = where.offset % cell::memory;
  if (low + bytes <= cell::memory) {
    const cell& c = region_.shadow(static_cast<std::uint32_t>(where.pe), where.offset);
    if (is_repeated(c, bytes_of_cell(low, low + bytes), writes)) return;
  }
  check(where, bytes, {.site = site_of(routine, caller, bytes), .writes = writes, .stores = writes});
}

void detector::check_loans(std::uintptr_t start, std::size_t bytes, const operation& what) {
  const loan* const l = loans_.conflict(start, bytes, what.writes);
  if (l == nullptr) return;
  access before = made(l->what, 0);
  before.clock = l->clock;
  report_race(*this, {{}, before, made(what, 0)});
}

void detector::lend(const void* address, std::size_t bytes, const operation& what) {
  const location where = find(address);
  if (where) {
    check(where, bytes, what);
    return;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  check_loans(start, bytes, what);
  const bool is_first = loans_.empty();
  loans_.add({start, bytes, what, clock_});
  if (is_first) watch();
}

lent_range detector::lend_until_complete(const void* address, std::size_t bytes, std::uint32_t site, bool writes) {
  const operation what{.site = site, .target = access::until_complete, .writes = writes, .buffer = true};
  check(find(address), bytes, what);
  return {address, bytes, writes, clock(), region_.number_of(made(what, 0).kind())};
}

// The collective is complete: nothing is left of the loan.
void detector::end_loan(const lent_range& range) {
  const location where = find(range.start);
  const auto pe = static_cast<std::uint32_t>(where.pe);
  const std::size_t end = where.offset + range.bytes;
  for (std::size_t at = where.offset / cell::memory * cell::memory; at < end; at += cell::memory) {
    const std::scoped_lock lock(region_.lock_at(pe, at));
    for (shadow_record& r : region_.shadow(pe, at).records)
      if (clock_of(r) == range.clock && kind_of(r) == range.kind) r = 0;
  }
}

void detector::watch() const {
  watched_addresses now{};
  if (active_) {
    std::uintptr_t start = heap_.start, end = heap_.start + heap_.bytes;
    if (!peers_.empty()) {
      start = std::min(start, peers_.front().start);
      end = std::max(end, peers_.back().start + peers_.back().bytes);
    }
    now = {statics_, {start, end - start}, heap_, &region_.shadow(me_, 0)};
    if (!loans_.empty()) now.shared = {0, ~std::size_t{0}};
  }
  watched = now;  // Other threads may look: only `shared` changes while the detector is active.
}

void detector::end_loans(channel puts, std::uint32_t target) {
  if (!loans_.empty()) {
    loans_.end([&](const loan& l) {
      return (l.what.how == puts || l.what.how == channel::signal) && (target == all_pes || l.what.target == target);
    });
    if (loans_.empty()) watch();
  }
  for (const fetch& f : std::exchange(fetches_, {})) {
    if (f.puts == puts && (target == all_pes || f.flag.pe == static_cast<int>(target))) {
      acquire(f.flag, f.bytes);
    } else {
      fetches_.push_back(f);
    }
  }
}

// A new block has no history. Whole pages of its shadow are given back to the system.
void detector::forget(location where, std::size_t bytes) {
  if (!where || bytes == 0) return;
  constexpr std::uintptr_t page = 4096;
  char* from = reinterpret_cast<char*>(&region_.shadow(static_cast<std::uint32_t>(where.pe), where.offset));
  char* to = from + (bytes + 7) / 8 * sizeof(cell);
  char* first = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(from) + page - 1) / page * page);
  char* last = reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(to) / page * page);
  if (first >= last || madvise(first, static_cast<std::size_t>(last - first), MADV_REMOVE) != 0) {
    std::memset(from, 0, static_cast<std::size_t>(to - from));
    return;
  }
  std::memset(from, 0, static_cast<std::size_t>(first - from));
  std::memset(last, 0, static_cast<std::size_t>(to - last));
}

}  // namespace races
