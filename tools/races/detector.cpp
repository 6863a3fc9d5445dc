#include "detector.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "openmp.hpp"
#include "plain.hpp"
#include "report.hpp"
#include "settings.hpp"
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

location detector::find_local(const void* address) const {
  const location symmetric = find(address);
  if (symmetric || !is_sharing()) return symmetric;
  return {static_cast<int>(me_), reinterpret_cast<std::uintptr_t>(address), true};
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
  const thread_state& thread = this_thread();
  const bool has_target = what.how != channel::program || what.buffer;
  a.maker = access::made_by(me_, has_target ? what.target : 0, thread.id, thread.locks) |
            static_cast<std::uint32_t>(what.type) << access::type_at | (what.shared_team ? access::shared_team_bit : 0);
  return a;
}

namespace {

// The data of a put with signal may be on any context.
bool same_context(const access& a, const access& b) {
  return a.how() == b.how() || a.how() == channel::signal || b.how() == channel::signal;
}

}  // namespace

// Whether this thread is after the call that made the access. That does not say that it is delivered.
bool detector::is_known(const access& before) const {
  const thread_state& thread = this_thread();
  const bool is_own = before.strand() == thread.id || (thread.is_part && before.strand() == thread.owner);
  return (before.pe() == me_ && is_own) || own().program(before.pe(), before.strand()) >= before.clock;
}

// A fence or quiet of another thread counts if this one is after it, and if that one was after the access.
bool detector::ordered_in_pe(const access& before, const access& now, bool fenced) const {
  if (!is_known(before)) return false;
  const channel how = before.how();
  if (how == channel::program || own().clock(me_, how, before.target()) >= before.clock) return true;
  return fenced && !before.is_buffer() && before.target() == now.target() && same_context(before, now) &&
         done().fenced_of(how == channel::context ? how : channel::put) >= before.clock;
}

// The source of a put of this PE, which has called quiet_local since. The source of a get is the memory of another PE.
bool detector::is_released_source(const access& before, location where) const {
  return before.pe() == me_ && where.pe == static_cast<int>(me_) && before.is_buffer() && !before.is_lent() &&
         !before.writes() && done().released_of(before.how()) >= before.clock && is_known(before);
}

bool detector::ordered(const access& before, const access& now, bool fenced) const {
  if (before.is_lent()) return false;
  if (before.pe() == me_) return ordered_in_pe(before, now, fenced);
  if (before.stores() && chosen().strict) return own().stores(before.pe(), before.strand()) >= before.clock;
  if (!is_known(before)) return false;
  return before.how() == channel::program || own().clock(before.pe(), before.how(), before.target()) >= before.clock;
}

// Whether a lock orders them, one way or the other. A part of an OpenMP region learns what the lock tells only now:
// without a conflict under the lock, the other part might as well have come later.
bool detector::share_lock(const access& before, const access& now) const {
  const std::uint32_t both = before.pe() == me_ ? before.locks() & now.locks() : 0;
  if (both == 0) return false;
  thread_state& thread = this_thread();
  for (held_lock& held : thread.held) {
    if ((held.bit & both) == 0 || held.tells.is_empty()) continue;
    thread.join(held.tells);
    held.tells = {};
  }
  return true;
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

// Types of one size and kind count as one, unless in strict mode.
std::uint32_t size_and_kind(atomic_type type) {
  switch (type) {
    case atomic_type::of_int:
    case atomic_type::of_uint: return 1;
    case atomic_type::of_float: return 2;
    case atomic_type::of_double: return 3;
    default: return 4;
  }
}

// Atomics are exclusive if they have one type, and contexts whose teams descend from the same predefined team. Signals
// are exclusive on all contexts.
bool are_exclusive(const access& a, const access& b) {
  const atomic_type one = a.type(), other = b.type();
  if (one == atomic_type::any || other == atomic_type::any) return true;
  const bool signal = one == atomic_type::of_signal || other == atomic_type::of_signal;
  if (!signal && ((a.maker ^ b.maker) & access::shared_team_bit) != 0) return false;
  return chosen().strict && !signal ? one == other : size_and_kind(one) == size_and_kind(other);
}

// Whether they access a common byte, one of them writes, and they are not atomics that exclude each other.
bool conflict(const access& a, const access& b) {
  const std::uint32_t both = a.what & b.what, either = a.what | b.what;
  if ((both & access::bytes_mask) == 0 || (either & access::writes_bit) == 0) return false;
  return (both & access::atomic_bit) == 0 || !are_exclusive(a, b);
}

// Private memory is checked for the operations on it: only they are in the library, whose rules the detector knows.
bool is_operation(const detector& of, const access& a) {
  return of.shared().fixed().sites[a.site()].routine >= first_routine;
}

// Whether `now` stands for `before` in all later checks: what races with `before` then also races with `now`.
bool replaces(const access& now, const access& before) {
  constexpr std::uint32_t kept = access::bytes_mask | access::writes_bit;
  constexpr std::uint32_t domain = access::type_mask | access::shared_team_bit;
  return (before.what & ~now.what & kept) == 0 && (now.what & ~before.what & access::atomic_bit) == 0 &&
         (now.maker & ~before.maker & access::locks_mask) == 0 &&
         (!now.is_atomic() || ((now.maker ^ before.maker) & domain) == 0);
}

}  // namespace

// Checks one access against the accesses in its cell, and keeps it there. A race is kept in `found`, unless that has
// one. The caller holds the lock of the cell. `kind`: its number; 0 keeps no record.
[[gnu::always_inline]] inline void detector::visit(cell& c, location where, const access& now, std::uint32_t kind,
                                                   bool fenced, race& found) const {
  const shadow_record kept = packed(now.clock, kind, now.bytes());
  constexpr std::uint32_t kept_maker = ~(access::locks_mask | access::type_mask | access::shared_team_bit);
  const std::uint32_t this_program = access::made_by(me_, 0, now.strand(), 0);
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
    const access before = region_.unpacked(r, static_cast<std::uint32_t>(where.pe));
    const bool of_this_thread = (before.maker & kept_maker) == this_program && (before.what & access::how_mask) == 0;
    if (!of_this_thread && !ordered(before, now, fenced) && !is_released_source(before, where)) {
      if (!conflict(before, now)) continue;
      const bool matters = !where.is_private || is_operation(*this, before) || is_operation(*this, now);
      if (!share_lock(before, now) && matters && !found) found = {where, before, now};
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
  if (where.is_private) return check_private(where.offset, bytes, what);
  race found;
  const access now = made(what, 0);
  const std::uint32_t kind = region_.number_of(now, static_cast<std::uint32_t>(where.pe));
  for (const std::size_t end = where.offset + bytes; where.offset < end;) {
    const std::size_t here = std::min(end - where.offset, cell::block - where.offset % cell::block);
    visit_block(where, here, now, kind, what.fenced, found);
    where.offset += here;
  }
  if (found) report_race(*this, found);
}

void detector::check_private(std::uintptr_t start, std::size_t bytes, const operation& what) {
  memory_of_thread& mine = memory_of_this_thread();
  const thread_state& thread = this_thread();
  access now = made(what, 0);
  if (mine.has_stack(start)) mine.lowest_seen = std::min(mine.lowest_seen, start);
  if (thread.is_part &&
      ((mine.has_stack(start) && start < thread.own_stack_end) || mine.has_variable(start) || owns_block(start)))
    now.maker = (now.maker & ~access::strand_mask) | thread.owner << access::strand_at;
  const std::uint32_t kind = region_.number_of(now, me_);
  location where{static_cast<int>(me_), start, true};
  race found;
  private_memory::page* page = nullptr;
  for (const std::uintptr_t end = start + bytes; where.offset < end;) {
    if (page == nullptr || where.offset % private_memory::page_bytes == 0) page = private_.make(where.offset);
    const std::size_t low = where.offset % cell::memory,
                      high = std::min<std::size_t>(cell::memory, low + (end - where.offset));
    if (page != nullptr) {
      now.what = (now.what & ~access::bytes_mask) | bytes_of_cell(low, high) << access::bytes_at;
      const std::scoped_lock lock(page->lock);
      visit(page->cells[where.offset % private_memory::page_bytes / cell::memory], where, now, kind, what.fenced,
            found);
    } else {
      region_.set_full(limits::private_memory);
    }
    where.offset += high - low;
  }
  if (found) report_race(*this, found);
}

void detector::check_wait(location where, std::size_t bytes, const operation& what) {
  if (!where || what.type == atomic_type::any) return;
  const auto pe = static_cast<std::uint32_t>(where.pe);
  race found;
  access now = made(what, 0);
  for (const std::size_t end = where.offset + bytes; where.offset < end;) {
    const std::size_t low = where.offset % cell::memory, high = std::min(cell::memory, low + (end - where.offset));
    now.what = (now.what & ~access::bytes_mask) | bytes_of_cell(low, high) << access::bytes_at;
    const std::scoped_lock lock(region_.lock_at(pe, where.offset));
    for (const shadow_record& r : region_.shadow(pe, where.offset).records) {
      if (r == 0) continue;
      const access before = region_.unpacked(r, pe);
      // Contexts are no matter of a wait.
      now.maker = (now.maker & ~access::shared_team_bit) | (before.maker & access::shared_team_bit);
      if (before.is_atomic() && conflict(before, now) && !ordered(before, now, false) && !found)
        found = {where, before, now};
    }
    where.offset += high - low;
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
      access a = region_.unpacked(r, pe);
      if ((a.what & access::how_mask) == 0 || !a.writes() || a.is_buffer()) continue;
      if (!is_known(a)) continue;
      a.what &= ~access::how_mask;  // channel::program
      a.maker &= ~access::target_mask;
      if (const std::uint32_t kind = region_.number_of(a, pe); kind != 0) r = packed(a.clock, kind, a.bytes());
    }
  }
}

void detector::touch_cell(std::size_t offset, std::uint32_t bytes, std::uint32_t kind) const {
  if (kind == 0) return;
  const access now = region_.unpacked(packed(clock(), kind, bytes), me_);
  race found;
  const location where{static_cast<int>(me_), offset};
  {
    const std::scoped_lock lock(region_.lock_at(me_, offset));
    visit(region_.shadow(me_, offset), where, now, kind, false, found);
  }
  if (found) report_race(*this, found);
}

bool detector::is_repeated_private(const void* address, std::size_t bytes, bool writes) const {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t low = start % cell::memory;
  if (low + bytes > cell::memory) return false;
  const private_memory::page* const page = private_.find(start);
  return page != nullptr && is_repeated(page->cells[start % private_memory::page_bytes / cell::memory],
                                        bytes_of_cell(low, low + bytes), writes);
}

void detector::touch(const void* address, std::size_t bytes, bool writes, std::uint32_t routine, const void* caller) {
  const location where = find(address);
  if (!where) {
    const bool lends = !loans_.empty();
    if (!lends && (!is_sharing() || is_repeated_private(address, bytes, writes))) return;
    const operation what{.site = site_of(routine, caller, bytes), .writes = writes, .stores = writes};
    const auto start = reinterpret_cast<std::uintptr_t>(address);
    if (lends) {
      const std::scoped_lock lock(mutex_);
      check_loans(start, bytes, what);
    }
    if (is_sharing()) check_private(start, bytes, what);
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
  check(find_local(address), bytes, what);
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  check_loans(start, bytes, what);
  const bool is_first = loans_.empty();
  loans_.add({start, bytes, what, clock_});
  if (is_first) watch();
}

// The accesses of this thread that follow are no repetitions of those before the buffer was lent.
void detector::end_lending() { tick(); }

lent_range detector::lend_until_complete(const void* address, std::size_t bytes, std::uint32_t site, bool writes) {
  const operation what{.site = site, .target = access::until_complete, .writes = writes, .buffer = true};
  check(find(address), bytes, what);
  return {address, bytes, writes, clock(), region_.number_of(made(what, 0), me_)};
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
    if (!loans_.empty() || is_sharing()) now.shared = {0, ~std::size_t{0}};
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
  for (auto at = fetches_.begin(); at != fetches_.end();) {
    const bool is_complete = at->puts == puts && (target == all_pes || at->pe == static_cast<int>(target));
    if (is_complete) acquire({at->pe, at->offset}, at->bytes);
    at = is_complete ? fetches_.erase(at) : std::next(at);
  }
}

// With too many flags the oldest knowledge counts at once, which only hides races.
void detector::acquire_at_quiet(location flag, std::size_t bytes, channel puts) {
  if (fetches_.size() < most_fetches) {
    fetches_.insert({flag.pe, flag.offset, bytes, puts});
  } else {
    acquire(flag, bytes);
  }
}

void detector::forget_private(std::uintptr_t start, std::size_t bytes) { private_.forget(start, bytes); }

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
