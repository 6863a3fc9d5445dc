#include "detector.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

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
  a.site = what.site & (region_header::most_sites - 1);
  a.bytes = bytes & 0xff;
  a.writes = what.writes;
  a.atomic = what.atomic;
  a.how = static_cast<std::uint32_t>(what.how) & 3;
  a.stores = what.stores;
  a.buffer = what.buffer;
  a.pe = static_cast<std::uint8_t>(me_);
  a.target = static_cast<std::uint8_t>(what.target);
  a.thread = static_cast<std::uint16_t>(this_thread().id);
  return a;
}

namespace {

// The data of a put with signal may be on any context.
bool same_context(const access& a, const access& b) {
  constexpr auto signal = static_cast<std::uint32_t>(channel::signal);
  return a.how == b.how || a.how == signal || b.how == signal;
}

}  // namespace

bool detector::ordered_in_pe(const access& before, const access& now, bool fenced) const {
  const auto how = static_cast<channel>(before.how);
  if (how == channel::program) return before.thread == now.thread || own().program(me_, before.thread) >= before.clock;
  if (own().clock(me_, how, before.target) >= before.clock) return true;
  return fenced && !before.buffer && before.target == now.target && same_context(before, now) &&
         fences_[fence_index(how, before.target)] >= before.clock;
}

bool detector::ordered(const access& before, const access& now, bool fenced) const {
  if (before.pe == me_) return ordered_in_pe(before, now, fenced);
  const auto how = static_cast<channel>(before.how);
  if (before.stores) return own().stores(before.pe, before.thread) >= before.clock;
  if (how == channel::program) return own().program(before.pe, before.thread) >= before.clock;
  return own().clock(before.pe, how, before.target) >= before.clock;
}

namespace {

// An access as three words: the clock, what it did, both PEs and the thread.
using access_words = std::array<std::uint32_t, 3>;
constexpr std::uint32_t which_bytes = 0xffu << 17;  // access::bytes

// Whether they differ in their bytes only.
bool same_maker(const access& a, const access& b) {
  const auto x = std::bit_cast<access_words>(a), y = std::bit_cast<access_words>(b);
  return ((x[0] ^ y[0]) | ((x[1] ^ y[1]) & ~which_bytes) | (x[2] ^ y[2])) == 0;
}

// A bit for each byte from `low` up to `high`.
std::uint32_t bytes_of_cell(std::size_t low, std::size_t high) {
  return (0xffu << low) & (0xffu >> (cell::memory - high));
}

// Whether `now` stands for `before` in all later checks: what races with `before` then also races with `now`.
bool replaces(const access& now, const access& before) {
  return (before.bytes & ~now.bytes) == 0 && (now.writes || !before.writes) && (!now.atomic || before.atomic);
}

}  // namespace

// Checks one access against the accesses in its cell, and keeps it there. A race is kept in `found`, unless that has
// one. The caller holds the lock of the cell.
void detector::visit(cell& c, location where, const access& now, bool fenced, race& found) {
  int free = -1;
  for (int i = 0; i < cell::n; ++i) {
    access& before = c.accesses[i];
    if (before.clock == 0) {
      if (free < 0) free = i;
      continue;
    }
    if (same_maker(before, now)) {
      before.bytes |= now.bytes;
      return;
    }
    const bool in_order = ordered(before, now, fenced);
    const bool conflict =
        (before.bytes & now.bytes) != 0 && (before.writes || now.writes) && !(before.atomic && now.atomic);
    if (conflict && !in_order && !found) found = {where, before, now};
    if ((in_order || conflict) && replaces(now, before)) {
      if (free < 0) {
        free = i;
      } else {
        before.clock = 0;
      }
    }
  }
  // Without room one of the accesses is forgotten, in turn.
  c.accesses[free >= 0 ? free : static_cast<int>((now.clock + now.site) % cell::n)] = now;
}

// Neighbouring cells often hold the same. Then the first one says what becomes of the others.
void detector::visit_block(location where, std::size_t bytes, access now, bool fenced, race& found) {
  const auto pe = static_cast<std::uint32_t>(where.pe);
  const std::scoped_lock lock(region_.lock_at(pe, where.offset));
  if (const std::size_t low = where.offset % cell::memory; low + bytes <= cell::memory) {
    now.bytes = bytes_of_cell(low, low + bytes) & 0xff;
    visit(region_.shadow(pe, where.offset), where, now, fenced, found);
    return;
  }
  cell seen, became;
  bool repeats = false;
  for (const std::size_t end = where.offset + bytes; where.offset < end;) {
    const std::size_t low = where.offset % cell::memory, high = std::min(cell::memory, low + (end - where.offset));
    cell& c = region_.shadow(pe, where.offset);
    const bool whole = high - low == cell::memory;
    if (whole && repeats && std::memcmp(&c, &seen, sizeof c) == 0) {
      c = became;
    } else {
      now.bytes = bytes_of_cell(low, high) & 0xff;
      seen = c;
      visit(c, where, now, fenced, found);
      became = c;
      repeats = whole;
    }
    where.offset += high - low;
  }
}

void detector::check(location where, std::size_t bytes, const operation& what) {
  if (!where || bytes == 0) return;
  race found;
  const access now = made(what, 0);
  for (const std::size_t end = where.offset + bytes; where.offset < end;) {
    const std::size_t here = std::min(end - where.offset, cell::block - where.offset % cell::block);
    visit_block(where, here, now, what.fenced, found);
    where.offset += here;
  }
  if (found) report_race(*this, found);
}

// This PE has read the flag, so what was written to it and is known here has been delivered.
void detector::arrived(location flag, std::size_t bytes) {
  const auto pe = static_cast<std::uint32_t>(flag.pe);
  for (std::size_t at = flag.offset / cell::memory * cell::memory; at < flag.offset + bytes; at += cell::memory) {
    const std::scoped_lock lock(region_.lock_at(pe, at));
    for (access& a : region_.shadow(pe, at).accesses)
      if (a.clock != 0 && a.writes && !a.buffer && own().program(a.pe, a.thread) >= a.clock)
        a.how = 0;  // channel::program
  }
}

// Whether this thread has made an access since its PE's last release that races with all that a load or store of these
// bytes would race with. Reads without the lock: a wrong answer only loses an access.
bool detector::covered(const cell& c, std::uint32_t bytes, bool writes) const {
  const std::uint32_t clock = this->clock(), thread = this_thread().id;
  return std::ranges::any_of(c.accesses, [&](const access& a) {
    return a.clock == clock && a.thread == thread && a.pe == me_ && (bytes & ~a.bytes) == 0 && a.how == 0 &&
           !a.buffer && !a.atomic && (!writes || a.stores);
  });
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
    if (covered(c, bytes_of_cell(low, low + bytes), writes)) return;
  }
  check(where, bytes, {.site = site_of(routine, caller, bytes), .writes = writes, .stores = writes});
}

// Private buffers have no shadow. There are few at a time.
void detector::check_loans(std::uintptr_t start, std::size_t bytes, const operation& what) {
  for (const loan& l : loans_) {
    if (start >= l.start + l.bytes || l.start >= start + bytes || !(what.writes || l.what.writes)) continue;
    access before = made(l.what, 0);
    before.clock = l.clock;
    report_race(*this, {{}, before, made(what, 0)});
    return;
  }
}

void detector::lend(const void* address, std::size_t bytes, const operation& what) {
  const location where = find(address);
  if (where) {
    check(where, bytes, what);
    return;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  check_loans(start, bytes, what);
  loans_.push_back({start, bytes, what, clock_});
  watch();
}

void detector::watch() const {
  watched = {};
  if (!active_) return;
  watched.statics = statics_;
  watched.heap = heap_;
  if (!peers_.empty())
    watched.peers = {peers_.front().start, peers_.back().start + peers_.back().bytes - peers_.front().start};
  if (!loans_.empty()) watched.peers = {0, ~std::size_t{0}};
}

void detector::end_loans(channel puts, std::uint32_t target) {
  const std::size_t ended = std::erase_if(loans_, [&](const loan& l) {
    return (l.what.how == puts || l.what.how == channel::signal) && (target == all_pes || l.what.target == target);
  });
  if (ended != 0) watch();
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
