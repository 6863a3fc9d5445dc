// Calls of collectives that check themselves. Each call has its own buffers, so that several calls can follow one
// another without a sync. Afterwards it checks every byte.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "allocation/symmetric_heap.hpp"
#include "coll/api/collectives.hpp"
#include "coll/call/sequence.hpp"
#include "coll/select/domain.hpp"
#include "coll/select/selection.hpp"
#include "coll/shared_memory/peer_memory.hpp"
#include "support/thread_job.hpp"

namespace oshen::testing {

using byte = std::uint8_t;
using coll::kind;

// Symmetric memory that is reused.
class arena {
 public:
  arena(world& w, std::size_t bytes) : bytes_(bytes), memory_(static_cast<byte*>(heap_malloc(w, "test", bytes))) {}
  byte* take(std::size_t bytes) {
    byte* place = memory_ + used_;
    used_ += (bytes + 15) / 16 * 16;
    EXPECT_LE(used_, bytes_) << "the test needs a larger arena";
    return place;
  }
  void reset() { used_ = 0; }

 private:
  std::size_t bytes_;
  std::size_t used_ = 0;
  byte* memory_;
};

// The byte `i` that PE `pe` of the team contributes to call `round`.
inline byte given(int pe, std::size_t i, int round) {
  return static_cast<byte>((i + 7) * 13 + (i >> 8) * 5 + static_cast<std::size_t>(pe) * 101 +
                           static_cast<std::size_t>(round) * 29);
}

// The share of the PE and of the call in each byte.
inline std::size_t share_of(std::size_t pe, int round) { return pe * 101 + static_cast<std::size_t>(round) * 29; }

// Writes factor * given(0, i, 0) + more for each i from `first` on. The bytes repeat after 64 KiB. The rest is copied,
// because sanitizers check a copy as a whole and a loop byte by byte.
inline void write_given(byte* to, std::size_t bytes, std::size_t first, std::size_t factor, std::size_t more) {
  const std::size_t period = std::min(bytes, std::size_t{1} << 16);
  for (std::size_t i = 0; i < period; ++i) to[i] = static_cast<byte>(factor * given(0, first + i, 0) + more);
  for (std::size_t done = period; done < bytes;) {
    const std::size_t next = std::min(done, bytes - done);
    std::memcpy(to + done, to, next);
    done += next;
  }
}

class call {
 public:
  static constexpr byte untouched = 0xa5;
  static constexpr std::ptrdiff_t dst = 3, sst = 2;

  // When calls follow one another with the same buffers, only the first one fills dest.
  enum class buffers : std::uint8_t { own, first_of_same, same };

  // `n` bytes from each PE.
  call(kind k, team& t, arena& a, std::size_t n, int round, buffers b = buffers::own)
      : k_(k),
        t_(t),
        n_(n),
        round_(round),
        shared_(b != buffers::own),
        pes_(static_cast<std::size_t>(t.n_pes)),
        root_(round % t.n_pes) {
    source_ = a.take(std::max(source_bytes(), n) + guard);  // as large on every PE
    dest_ = in_place() ? source_ : a.take(dest_bytes() + guard);
    if (b != buffers::same) std::fill_n(dest_, dest_bytes() + guard, untouched);
    write_given(source_, source_bytes(), 0, 1, share_of(me(), round_));
  }

  void run() {
    const coll::team_call at{&t_, "test"};
    switch (k_) {
      case kind::sync: coll::sync(at); return;
      case kind::broadcast: coll::broadcast(at, dest_, source_, n_, root_, root_keeps_dest()); return;
      case kind::collect: coll::collect(at, dest_, source_, count(t_.my_pe)); return;
      case kind::fcollect: coll::fcollect(at, dest_, source_, n_); return;
      case kind::alltoall: coll::alltoall(at, dest_, source_, n_); return;
      case kind::alltoalls: coll::alltoalls(at, dest_, source_, dst, sst, n_); return;
      default: coll::carry_out(k_, coll::combine_call<coll::op_sum>(at, dest_, source_, n_)); return;
    }
  }

  // Returns false, and prints a line, if a byte of dest is wrong.
  bool holds(const std::string& what) const {
    if (wanted_.empty()) write_wanted();
    const std::size_t end = in_place() ? n_ : wanted_.size();
    if (end == 0 || std::memcmp(dest_, wanted_.data(), end) == 0) return true;
    std::size_t i = 0;
    while (i + 1 < end && dest_[i] == wanted_[i]) ++i;
    ADD_FAILURE() << what << ": PE " << t_.my_pe << " of " << t_.n_pes << ", " << n_ << " bytes, call " << round_
                  << ": byte " << i << " is " << int{dest_[i]} << ", not " << int{wanted_[i]};
    return false;
  }

 private:
  static constexpr std::size_t guard = 32;

  bool is_scan() const { return k_ == kind::inscan || k_ == kind::exscan; }
  bool in_place() const { return !shared_ && (is_scan() || k_ == kind::reduce) && round_ % 2 == 1; }
  bool root_keeps_dest() const { return !shared_ && round_ % 3 == 2; }
  // The block of a PE in a collect: different sizes, no bytes at all, equal sizes, one PE only.
  std::size_t count(int pe) const {
    const auto at = static_cast<std::size_t>(pe);
    switch (shared_ ? 3 : round_ % 4) {
      case 0: return (at + static_cast<std::size_t>(round_)) % 3 == 0 ? 0 : n_ / (at + 1);
      case 1: return n_;
      case 2: return at + 1 == pes_ ? n_ : 0;
      default: return n_ * (at + 1) / pes_;
    }
  }
  std::size_t source_bytes() const {
    switch (k_) {
      case kind::sync: return 0;
      case kind::collect: return count(t_.my_pe);
      case kind::alltoall: return n_ * pes_;
      case kind::alltoalls: return n_ * pes_ * sst;
      default: return n_;
    }
  }
  std::size_t dest_bytes() const {
    switch (k_) {
      case kind::sync: return 0;
      case kind::collect: return shared_ ? all_counts() : n_ * pes_;
      case kind::fcollect:
      case kind::alltoall: return n_ * pes_;
      case kind::alltoalls: return n_ * pes_ * dst;
      default: return n_;
    }
  }
  std::size_t all_counts() const {
    std::size_t all = 0;
    for (int pe = 0; pe < t_.n_pes; ++pe) all += count(pe);
    return all;
  }
  std::size_t me() const { return static_cast<std::size_t>(t_.my_pe); }

  // The bytes `first` and following of a PE.
  void write_from(std::size_t pe, byte* to, std::size_t bytes, std::size_t first = 0) const {
    write_given(to, bytes, first, 1, share_of(pe, round_));
  }
  void write_blocks(byte* to, std::size_t first) const {
    for (std::size_t pe = 0; pe < pes_; ++pe) write_from(pe, to + pe * n_, n_, first);
  }
  void write_collected(byte* to) const {
    for (int pe = 0; pe < t_.n_pes; to += count(pe), ++pe) write_from(static_cast<std::size_t>(pe), to, count(pe));
  }
  void write_strided(byte* to) const {
    for (std::size_t pe = 0; pe < pes_; ++pe)
      for (std::size_t i = 0; i < n_; ++i)
        to[(pe * n_ + i) * dst] = given(static_cast<int>(pe), (me() * n_ + i) * sst, round_);
  }
  // The sum over the first `terms` PEs.
  void write_sum(byte* to, std::size_t terms) const {
    std::size_t shares = 0;
    for (std::size_t pe = 0; pe < terms; ++pe) shares += share_of(pe, round_);
    write_given(to, n_, 0, terms, shares);
  }
  // Dest as it must be after the call, with the guard behind it.
  void write_wanted() const {
    wanted_.assign(dest_bytes() + guard, untouched);
    byte* const to = wanted_.data();
    switch (k_) {
      case kind::sync: return;
      case kind::broadcast:
        if (t_.my_pe != root_ || !root_keeps_dest()) write_from(static_cast<std::size_t>(root_), to, n_);
        return;
      case kind::collect: return write_collected(to);
      case kind::fcollect: return write_blocks(to, 0);
      case kind::alltoall: return write_blocks(to, me() * n_);
      case kind::alltoalls: return write_strided(to);
      case kind::reduce: return write_sum(to, pes_);
      case kind::inscan: return write_sum(to, me() + 1);
      default: return write_sum(to, me());
    }
  }

  kind k_;
  team& t_;
  std::size_t n_;
  int round_;
  bool shared_;  // other calls use the same buffers
  std::size_t pes_;
  int root_;
  byte* source_;
  byte* dest_;
  mutable std::vector<byte> wanted_;  // made when it is first needed
};

inline std::string name_of(const coll::algorithm& a) { return std::string(coll::name_of(a.collective)) + "/" + a.name; }

// Makes collectives of the kind of `a` on `t` use `a`. Returns false if `a` does not support this size.
inline bool force(team& t, const coll::algorithm& a, std::size_t bytes) {
  if (a.collective > coll::kind::exscan) return false;  // extensions_test.cpp tests these
  const auto all = coll::registry();
  const auto row = std::find(all.begin(), all.end(), &a) - all.begin();
  const coll::team_shape s{.n_pes = t.n_pes,
                           .bytes = bytes,
                           .cpu_for_each = true,
                           .spans = t.spans,
                           .domains = coll::domains_of(t).count,
                           .domain = coll::domains_of(t).largest};
  if (!coll::can_do(a, s)) return false;
  for (auto& choice : t.chosen_algorithms[static_cast<int>(a.collective)]) choice = static_cast<std::uint8_t>(row);
  return true;
}

}  // namespace oshen::testing
