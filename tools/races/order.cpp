// Fences, quiets, flags, and the exchange of a collective order operations.
#include <pshmem.h>

#include <algorithm>
#include <cstdio>

#include "detector.hpp"
#include "settings.hpp"

namespace races {

// All that this thread did until now.
void detector::enter_present(const thread_state& thread) const {
  for (const std::uint32_t strand : {thread.id, thread.is_part ? thread.owner : thread.id})
    thread.own.raise_program(me_, strand, clock_);
  if (!chosen().strict) return;
  for (std::uint32_t strand = 0; strand < most_strands; ++strand)
    thread.own.raise_stores(me_, strand, std::min(thread.own.program(me_, strand), thread.done->stores));
}

// At its last value the clock stops: what follows counts as simultaneous. A race may then stay unseen, while a clock
// that wraps would show races where there are none.
void detector::tick() {
  std::uint32_t now = clock_;
  while (now != last_clock && !clock_.compare_exchange_weak(now, now + 1)) continue;
  if (now == last_clock) return say_last_clock();
  own().raise_program(me_, this_thread().id, now + 1);
}

void detector::say_last_clock() {
  if (said_last_.exchange(true)) return;
  std::fprintf(
      stderr,
      "oshen: PE %u: oshcc --races: this PE has synchronised 2^32 times; its later races may stay unseen: check "
      "a shorter run\n",
      me_);
}

void detector::tell(thread_knowledge& object) {
  if (object.is_empty()) object.begin(pes_);
  enter_present(this_thread());
  object.all.join(own());
  object.done.join(done());
  tick();
}

void detector::fence(channel puts) {
  done().fenced_of(puts) = done().stores = clock_;
  tick();
}

void detector::quiet(channel puts) {
  own().deliver_all(me_, puts, clock_);
  end_loans(puts, all_pes);
  fence(puts);
}

void detector::quiet_local(channel puts) {
  for (const channel how : {puts, channel::signal}) {
    done().released_of(how) = clock_;
    loans_.end([&](const loan& l) { return l.what.how == how && !l.what.writes; });
  }
  watch();
  tick();
}

void detector::quiet_of(channel puts, std::uint32_t target) {
  own().raise_clock(me_, puts, target, clock_);
  own().raise_clock(me_, channel::signal, target, clock_);
  end_loans(puts, target);
  tick();
}

// A flag of up to 64 bytes lies in one slot for each eight of them.
template <class Use>
void detector::each_slot(location flag, std::size_t bytes, Use use) {
  constexpr std::size_t most = 64;
  const std::size_t first = flag.offset / 8, last = (flag.offset + std::clamp<std::size_t>(bytes, 1, most) - 1) / 8;
  for (std::size_t word = first; word <= last; ++word) {
    const std::uint64_t key =
        (word + 1) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(flag.pe) * 0xc2b2ae3d27d4eb4fu;
    const auto slot = static_cast<std::uint32_t>(key >> 40) % region_header::slots;
    const std::scoped_lock lock(region_.fixed().slot_locks[slot]);
    use(slot, key);
  }
}

// The flag tells of everything before it, but of puts only if they are delivered: after a quiet, or to the PE of the
// flag after a fence of the flag's context. A slot keeps what earlier releases told, because the reader may see any of
// them.
void detector::release(location flag, std::size_t bytes, const release_call& call) {
  if (!flag) return;
  const auto target = static_cast<std::uint32_t>(flag.pe);
  enter_present(this_thread());
  const std::uint32_t fenced = done().fenced_of(call.puts);
  each_slot(flag, bytes, [&](std::uint32_t slot, std::uint64_t key) {
    const knowledge told = region_.slot(slot);
    told.join(own());
    told.set_release(me_, clock_, call.site, target);
    told.raise_clock(me_, call.puts, target, fenced);
    told.raise_clock(me_, channel::signal, target, call.carries_data ? clock_.load() : fenced);
    region_header& fixed = region_.fixed();
    const std::uint32_t k = fixed.n_records[slot]++ % region_header::recent;
    fixed.records[slot][k] = {key, call.value, call.has_value && bytes <= 8, me_, this_thread().id, clock_};
    region_.told_at(slot, k).copy_from(told);
  });
  tick();
}

void detector::acquire(location flag, std::size_t bytes) {
  if (!flag) return;
  each_slot(flag, bytes, [&](std::uint32_t slot, std::uint64_t) { own().join(region_.slot(slot)); });
  arrived(flag, bytes);
}

bool awaited::holds_for(std::int64_t flag) const {
  switch (comparison) {
    case SHMEM_CMP_EQ: return flag == value;
    case SHMEM_CMP_GE: return flag >= value;
    case SHMEM_CMP_GT: return flag > value;
    default: return false;
  }
}

// The wait may have ended at the first release whose value it awaits, even if later ones came in time on this run. So
// it learns no more than that one told. This needs to know the values, and one PE that makes all releases. Releases
// that this PE knows already were awaited before.
bool detector::learn_first(std::uint32_t slot, std::uint64_t key, const awaited& condition) {
  const region_header& fixed = region_.fixed();
  const std::uint32_t n = fixed.n_records[slot], first = n > region_header::recent ? n - region_header::recent : 0;
  const release_record* found = nullptr;
  std::uint32_t found_at = 0, maker = all_pes;
  for (std::uint32_t i = first; i < n; ++i) {
    const release_record& r = fixed.records[slot][i % region_header::recent];
    if (r.flag != key) continue;
    if (r.has_value == 0 || (maker != all_pes && maker != r.pe)) return false;
    maker = r.pe;
    if (found == nullptr && own().program(r.pe, r.strand) < r.clock && condition.holds_for(r.value)) {
      found = &r;
      found_at = i % region_header::recent;
    }
  }
  if (found == nullptr) return false;
  own().join(region_.told_at(slot, found_at));
  return true;
}

void detector::acquire_when(location flag, std::size_t bytes, const awaited& condition) {
  if (!flag) return;
  each_slot(flag, bytes, [&](std::uint32_t slot, std::uint64_t key) {
    if (!learn_first(slot, key, condition)) own().join(region_.slot(slot));
  });
  arrived(flag, bytes);
}

void detector::publish(std::uint32_t site) {
  enter_present(this_thread());
  if (chosen().strict)
    for (std::uint32_t strand = 0; strand < most_strands; ++strand)
      own().raise_stores(me_, strand, own().program(me_, strand));
  own().set_release(me_, clock_, site, all_pes);
  // Joined, because another thread may be in another collective.
  region_.published(me_).join(own());
  tick();
}

void detector::learn_from(std::uint32_t pe) {
  if (pe != me_) own().join(region_.published(pe));
}

}  // namespace races
