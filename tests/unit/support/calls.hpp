// Calls of collectives that check themselves. Each call has its own buffers, so that several calls can follow one
// another without a sync. Afterwards it checks every byte.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "allocation/symmetric_heap.hpp"
#include "coll/api/collectives.hpp"
#include "coll/select/domain.hpp"
#include "coll/select/selection.hpp"
#include "coll/shared_memory/flag_slots.hpp"
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
    for (std::size_t i = 0; i < source_bytes(); ++i) source_[i] = given(t_.my_pe, i, round_);
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
    const std::size_t end = in_place() ? n_ : dest_bytes() + guard;
    for (std::size_t i = 0; i < end; ++i) {
      const byte wanted = i < dest_bytes() ? expected(i) : untouched;
      if (dest_[i] == wanted) continue;
      ADD_FAILURE() << what << ": PE " << t_.my_pe << " of " << t_.n_pes << ", " << n_ << " bytes, call " << round_
                    << ": byte " << i << " is " << int{dest_[i]} << ", not " << int{wanted};
      return false;
    }
    return true;
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
  byte collected(std::size_t i) const {
    for (int pe = 0; pe < t_.n_pes; i -= count(pe), ++pe)
      if (i < count(pe)) return given(pe, i, round_);
    return untouched;
  }
  byte expected(std::size_t i) const {
    const auto me = static_cast<std::size_t>(t_.my_pe);
    const auto from = [&](std::size_t block, std::size_t at) { return given(static_cast<int>(block), at, round_); };
    switch (k_) {
      case kind::broadcast: return t_.my_pe == root_ && root_keeps_dest() ? untouched : given(root_, i, round_);
      case kind::collect: return collected(i);
      case kind::fcollect: return from(i / n_, i % n_);
      case kind::alltoall: return from(i / n_, me * n_ + i % n_);
      case kind::alltoalls: return i % dst != 0 ? untouched : from(i / dst / n_, (me * n_ + i / dst % n_) * sst);
      default: break;
    }
    const int end = k_ == kind::reduce ? t_.n_pes : k_ == kind::inscan ? t_.my_pe + 1 : t_.my_pe;
    byte sum = 0;
    for (int pe = 0; pe < end; ++pe) sum = static_cast<byte>(sum + given(pe, i, round_));
    return sum;
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
  for (auto& choice : t.chosen[static_cast<int>(a.collective)]) choice = static_cast<std::uint8_t>(row);
  return true;
}

}  // namespace oshen::testing
