// Calls of the collectives of shmemx.h that check themselves: afterwards each call checks every element.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "allocation/symmetric_heap.hpp"
#include "coll/api/extensions.hpp"
#include "coll/call/sequence.hpp"
#include "coll/select/domain.hpp"
#include "coll/select/selection.hpp"

namespace oshen::testing::extensions {

using namespace coll;
using number = std::uint64_t;
using counts = std::vector<std::size_t>;

inline constexpr std::size_t longest = 1100;
inline constexpr std::size_t lengths[] = {0, 1, 2, 14, 15, 100, longest};
inline constexpr int untouched = 0xab;  // each byte

// Compares all at once, because sanitizers are slow in loops, and names the first element that differs.
inline void check_equal(const number* found, const number* wanted, std::size_t n, const std::string& where) {
  if (n == 0 || std::memcmp(found, wanted, n * sizeof(number)) == 0) return;
  std::size_t i = 0;
  while (i + 1 < n && found[i] == wanted[i]) ++i;
  FAIL() << where << ": element " << i << " is " << found[i] << ", not " << wanted[i];
}

inline number given(int pe, std::size_t i, int round) {
  return static_cast<number>(pe + 1) * 1000003u + i * 17u + static_cast<number>(round);
}

// One call: its buffers, its team, and its size.
struct attempt {
  team& t;
  number* dest;
  number* source;
  std::size_t room;  // elements of each buffer
  std::size_t n;
  int round;

  team_call at() const { return {&t, "test"}; }
  std::size_t pes() const { return static_cast<std::size_t>(t.n_pes); }
  std::size_t me() const { return static_cast<std::size_t>(t.my_pe); }
  int root() const { return round % t.n_pes; }
  bool at_root() const { return t.my_pe == root(); }
};

// The number of elements that PE `from` sends to PE `to` if lengths differ: sometimes none, sometimes many.
inline std::size_t uneven(const attempt& a, std::size_t from, std::size_t to) {
  const std::size_t which = (from * 3 + to * 5 + static_cast<std::size_t>(a.round)) % 7;
  return which < 2 ? 0 : a.n / which;
}

// Places of blocks with a gap of one element before each.
inline counts spread(const counts& lengths_of) {
  counts first;
  std::size_t end = 1;
  for (const std::size_t length : lengths_of) {
    first.push_back(end);
    end += length + 1;
  }
  return first;
}

// The expected `dest`: these values at these offsets, untouched bytes elsewhere.
class expectation {
 public:
  explicit expectation(const attempt& a) : a_(a), want_(a.room) {
    std::memset(want_.data(), untouched, want_.size() * sizeof(number));
  }
  number* at(std::size_t i) { return want_.data() + i; }
  void check() const { check_equal(a_.dest, want_.data(), a_.room, "dest of PE " + std::to_string(a_.t.my_pe)); }

 private:
  const attempt& a_;
  std::vector<number> want_;
};

// Writes elements `first` and following that a PE gives.
inline void write_given(number* to, std::size_t n, std::size_t pe, std::size_t first, int round) {
  for (std::size_t i = 0; i < n; ++i) to[i] = given(static_cast<int>(pe), first + i, round);
}

// Writes the sums over all PEs of elements `first` and following.
inline void write_sums(number* to, std::size_t n, const attempt& a, std::size_t first) {
  const number pes = a.pes();
  number of_first = 0;
  for (int pe = 0; pe < a.t.n_pes; ++pe) of_first += given(pe, first, a.round);
  for (std::size_t i = 0; i < n; ++i) to[i] = of_first + pes * i * 17u;
}

inline void check_alltoallv(const attempt& a) {
  counts out, in;
  for (std::size_t pe = 0; pe < a.pes(); ++pe) {
    out.push_back(uneven(a, a.me(), pe));
    in.push_back(uneven(a, pe, a.me()));
  }
  const counts out_first = spread(out), in_first = spread(in);
  alltoallv(a.at(), a.dest, in.data(), in_first.data(), a.source, out.data(), out_first.data());
  expectation e(a);
  for (std::size_t pe = 0; pe < a.pes(); ++pe) {
    counts theirs;
    for (std::size_t to = 0; to < a.pes(); ++to) theirs.push_back(uneven(a, pe, to));
    write_given(e.at(in_first[pe]), in[pe], pe, spread(theirs)[a.me()], a.round);
  }
  e.check();
}

// In odd rounds the root's own block is in place.
inline bool in_place(const attempt& a) { return a.at_root() && a.round % 2 == 1; }

// The source of a gather: `mine` on a root whose block is in place.
inline const number* source_for_gather(const attempt& a, number* mine, std::size_t n) {
  if (!in_place(a)) return a.source;
  write_given(mine, n, a.me(), 0, a.round);
  return mine;
}

inline void check_gather(const attempt& a) {
  gather(a.at(), a.dest, source_for_gather(a, a.dest + a.me() * a.n, a.n), a.n, a.root());
  expectation e(a);
  for (std::size_t pe = 0; a.at_root() && pe < a.pes(); ++pe) write_given(e.at(pe * a.n), a.n, pe, 0, a.round);
  e.check();
}

inline void check_gatherv(const attempt& a) {
  counts in;
  for (std::size_t pe = 0; pe < a.pes(); ++pe) in.push_back(uneven(a, pe, 0));
  const counts first = spread(in);
  const bool root = a.at_root();
  const number* const source = source_for_gather(a, a.dest + first[a.me()], in[a.me()]);
  gatherv(a.at(), a.dest, root ? in.data() : nullptr, root ? first.data() : nullptr, source, in[a.me()], a.root());
  expectation e(a);
  for (std::size_t pe = 0; root && pe < a.pes(); ++pe) write_given(e.at(first[pe]), in[pe], pe, 0, a.round);
  e.check();
}

// A scatter changes no source, and writes no dest of a root whose block is in place.
inline void check_scattered(const attempt& a, std::size_t n, std::size_t first) {
  std::vector<number> sent((a.n + 2) * a.pes() + 2);
  write_given(sent.data(), sent.size(), a.me(), 0, a.round);
  check_equal(a.source, sent.data(), sent.size(), "source of PE " + std::to_string(a.t.my_pe));
  expectation e(a);
  if (!in_place(a)) write_given(e.at(0), n, static_cast<std::size_t>(a.root()), first, a.round);
  e.check();
}

inline void check_scatter(const attempt& a) {
  const std::size_t first = a.me() * a.n;
  scatter(a.at(), in_place(a) ? a.source + first : a.dest, a.source, a.n, a.root());
  check_scattered(a, a.n, first);
}

inline void check_scatterv(const attempt& a) {
  counts out;
  for (std::size_t pe = 0; pe < a.pes(); ++pe) out.push_back(uneven(a, 0, pe));
  const counts first = spread(out);
  const bool root = a.at_root();
  number* const dest = in_place(a) ? a.source + first[a.me()] : a.dest;
  scatterv(a.at(), dest, out[a.me()], a.source, root ? out.data() : nullptr, root ? first.data() : nullptr, a.root());
  check_scattered(a, out[a.me()], first[a.me()]);
}

inline void check_reduce_to_root(const attempt& a) {
  expectation e(a);
  if (a.at_root()) write_sums(e.at(0), a.n, a, 0);
  if (a.round % 2 == 0) {
    reduce_to_root<op_sum>(a.at(), a.dest, a.source, a.n, a.root());
    return e.check();
  }
  // In place, on the root only or on all PEs.
  reduce_to_root<op_sum>(a.at(), a.at_root() || a.round % 4 == 1 ? a.source : a.dest, a.source, a.n, a.root());
  std::vector<number> want(a.n);
  if (a.at_root())
    write_sums(want.data(), a.n, a, 0);
  else
    write_given(want.data(), a.n, a.me(), 0, a.round);
  check_equal(a.source, want.data(), a.n, "source of PE " + std::to_string(a.t.my_pe));
}

// Tests shares of equal length or of `lengths_of`, into dest or in place.
inline void check_reduce_scatter(const attempt& a) {
  counts shares(a.pes(), a.n);
  for (std::size_t pe = 0; a.round % 2 == 1 && pe < a.pes(); ++pe) shares[pe] = uneven(a, pe, 0);
  std::size_t first = 0;
  for (std::size_t pe = 0; pe < a.me(); ++pe) first += shares[pe];
  number* dest = a.round % 3 == 0 ? a.source + first : a.dest;
  expectation e(a);
  std::vector<number> want(shares[a.me()]);
  write_sums(want.data(), want.size(), a, first);
  if (a.round % 2 == 1)
    reduce_scatterv<op_sum>(a.at(), dest, a.source, shares.data());
  else
    reduce_scatter<op_sum>(a.at(), dest, a.source, a.n);
  if (dest == a.dest) {
    std::copy(want.begin(), want.end(), e.at(0));
    return e.check();
  }
  check_equal(dest, want.data(), want.size(), "in place on PE " + std::to_string(a.t.my_pe));
}

using check = void (*)(const attempt&);

inline check check_of(kind k) {
  switch (k) {
    case kind::alltoallv: return check_alltoallv;
    case kind::gather: return check_gather;
    case kind::gatherv: return check_gatherv;
    case kind::scatter: return check_scatter;
    case kind::scatterv: return check_scatterv;
    case kind::reduce_to_root: return check_reduce_to_root;
    case kind::reduce_scatter: return check_reduce_scatter;
    default: return nullptr;  // collectives_test.cpp tests these
  }
}

// Makes `t` use `a` for this length, if it can.
inline bool force(team& t, const algorithm* a, std::size_t n) {
  const auto all = registry();
  const team_shape s{.n_pes = t.n_pes,
                     .bytes = std::max<std::size_t>(n, 1) * sizeof(number),
                     .cpu_for_each = true,
                     .spans = t.spans,
                     .domains = domains_of(t).count,
                     .domain = domains_of(t).largest};
  if (!can_do(*a, s)) return false;
  const auto index = static_cast<std::uint8_t>(std::find(all.begin(), all.end(), a) - all.begin());
  for (auto& choice : t.chosen_algorithms[static_cast<int>(a->collective)]) choice = index;
  return true;
}

struct buffers {
  std::size_t room;
  number* dest;
  number* source;

  explicit buffers(world& w, std::size_t most = longest) : room((most + 2) * static_cast<std::size_t>(w.n_pes) + 2) {
    dest = static_cast<number*>(heap_malloc(w, "test", room * sizeof(number)));
    source = static_cast<number*>(heap_malloc(w, "test", room * sizeof(number)));
  }
};

// One call of this row with its own buffers. `carry_out(call)` executes it between two syncs.
template <class CarryOut>
void try_row(team& t, const buffers& b, const algorithm& row, std::size_t n, int round, CarryOut carry_out) {
  SCOPED_TRACE(std::string(name_of(row.collective)) + "/" + row.name + " of " + std::to_string(n));
  std::memset(b.dest, untouched, b.room * sizeof(number));
  const std::size_t used = std::min(b.room, (n + 2) * static_cast<std::size_t>(t.n_pes) + 2);
  write_given(b.source, used, static_cast<std::size_t>(t.my_pe), 0, round);
  sync_team(t, "test");  // every dest is ready before any PE makes a call
  carry_out([&] { check_of(row.collective)({t, b.dest, b.source, b.room, n, round}); });
  sync_team(t, "test");
}
inline void try_row(team& t, const buffers& b, const algorithm& row, std::size_t n, int round) {
  try_row(t, b, row, n, round, [](auto call) { call(); });
}

}  // namespace oshen::testing::extensions
