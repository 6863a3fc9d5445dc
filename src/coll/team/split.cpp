#include "coll/team/form.hpp"

#include <stdlib.h>

#include <algorithm>

#include "coll/call/sequence.hpp"
#include "coll/protocol/small_allgather.hpp"

namespace oshen::coll {
namespace {

// Zeroed memory that is freed at the end of the scope.
template <class T>
class scratch {
 public:
  scratch(world& w, int n, const char* routine) : data_(static_cast<T*>(private_memory(w, n, sizeof(T), routine))) {}
  ~scratch() { free(data_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  T* data() const { return data_; }
  T& operator[](int i) const { return data_[i]; }

 private:
  T* data_;
};

// True if the list consists of different PEs of the world and contains this PE.
bool valid_list(world& w, const int* pes, int n, const char* routine) {
  if (n < 1 || n > w.n_pes || pes == nullptr) return false;
  const scratch<bool> listed(w, w.n_pes, routine);
  for (int i = 0; i < n; ++i) {
    if (pes[i] < 0 || pes[i] >= w.n_pes || listed[pes[i]]) return false;
    listed[pes[i]] = true;
  }
  return listed[w.pe];
}

bool valid_triplet(const team& parent, int start, int stride, int size) {
  if (size < 1 || start < 0 || start >= parent.n_pes || (stride == 0 && size != 1)) return false;
  const long long last = start + static_cast<long long>(stride) * (size - 1);
  return last >= 0 && last < parent.n_pes;
}

// A number that is the same on every PE of the parent, and different for every formation.
std::uint64_t next_origin(team& parent) {
  return static_cast<std::uint64_t>(parent.slot + 1) << 40 | ++parent.formations;
}

// At the first attempt a member may still be in an earlier destroy, so that its slot is not free yet. Before the second
// one all PEs of the parent have entered the call.
enum class attempt { first, second };
constexpr attempt both_attempts[] = {attempt::first, attempt::second};

// Forms the team of the parent's PEs start, start + stride, ... if this PE is one of them. False on failure, of which
// only the second attempt tells the user.
bool form_strided(team_call at, attempt which, int start, int stride, int size, team*& fresh) {
  team& parent = *at.members;
  const std::uint64_t origin = next_origin(parent);
  world& w = *parent.home;
  fresh = nullptr;
  if (parent.list == nullptr) {
    membership who{.n_pes = size, .start = parent.world_pe(start), .stride = parent.stride * stride, .origin = origin};
    if (which == attempt::first) who.advice = nullptr;
    if (who.find(w.pe) < 0) return true;
    return (fresh = form(w, who, at.routine)) != nullptr;
  }
  const scratch<int> list(w, size, at.routine);
  for (int i = 0; i < size; ++i) list[i] = parent.world_pe(start + i * stride);
  membership who{.n_pes = size, .list = list.data(), .origin = origin};
  if (which == attempt::first) who.advice = nullptr;
  if (who.find(w.pe) < 0) return true;
  return (fresh = form(w, who, at.routine)) != nullptr;
}

// True on every PE of the team if all PEs pass true.
bool all_agree(team_call at, bool yes) {
  team& t = *at.members;
  begin_collective(t, at.routine);
  const collective_call call{.members = t, .routine = at.routine};
  const small_allgather<std::uint8_t> answers(call, yes ? 1 : 0);
  for (const int pe : others(t)) yes = answers.of(pe) != 0 && yes;
  return yes;
}

// True on every PE of the parent if the team was formed on all its members. Otherwise the members of a team that was
// formed dissolve it: a team exists on all its members or on none. In parents that are too large for an allgather of
// bytes, each PE goes by its own result.
bool keep_or_dissolve(team_call parent, bool formed, team*& fresh) {
  const team& p = *parent.members;
  if (p.spans && static_cast<std::size_t>(p.n_pes) > bounce_bytes) return formed;
  if (all_agree(parent, formed)) return true;
  if (fresh != nullptr) dissolve(*fresh, parent.routine);
  fresh = nullptr;
  return false;
}

struct vote {
  int color;
  int key;
};

// A PE with the colour of this PE.
struct ranked {
  int key;
  int pe;  // of the parent
};

// Stores the PEs that vote for `color`, sorted by key and then by their number in the parent. Returns their number.
int rank(const small_allgather<vote>& votes, int n_pes, int color, const scratch<ranked>& chosen) {
  int n = 0;
  for (int pe = 0; pe < n_pes; ++pe)
    if (const vote v = votes.of(pe); v.color == color) chosen[n++] = {v.key, pe};
  const auto before = [](const ranked& a, const ranked& b) { return a.key != b.key ? a.key < b.key : a.pe < b.pe; };
  if (!std::is_sorted(chosen.data(), chosen.data() + n, before)) std::sort(chosen.data(), chosen.data() + n, before);
  return n;
}

// Replaces the list by start and stride if the PEs are equally far apart. Such a team needs no list, and finds its PEs
// faster.
membership by_rule(const membership& listed) {
  const int* pes = listed.list;
  const int stride = listed.n_pes > 1 ? pes[1] - pes[0] : 1;
  for (int i = 2; i < listed.n_pes; ++i)
    if (pes[i] - pes[i - 1] != stride) return listed;
  return {.n_pes = listed.n_pes, .start = pes[0], .stride = stride, .origin = listed.origin};
}

}  // namespace

int split_strided(team_call parent, int start, int stride, int size, team*& fresh) {
  fresh = nullptr;
  if (!valid_triplet(*parent.members, start, stride, size)) return 1;
  for (const attempt which : both_attempts)
    if (keep_or_dissolve(parent, form_strided(parent, which, start, stride, size, fresh), fresh)) return 0;
  return 1;
}

int split_2d(team_call parent, int xrange, team*& xaxis, team*& yaxis) {
  const team& p = *parent.members;
  xaxis = yaxis = nullptr;
  if (xrange < 1) return 1;
  if (xrange > p.n_pes) xrange = p.n_pes;
  const int x = p.my_pe % xrange, y = p.my_pe / xrange;
  const int row = y * xrange;
  const int in_row = p.n_pes - row < xrange ? p.n_pes - row : xrange;
  const int in_column = (p.n_pes - x + xrange - 1) / xrange;
  for (const attempt which : both_attempts) {
    const bool x_formed = form_strided(parent, which, row, 1, in_row, xaxis);
    const bool y_formed = form_strided(parent, which, x, xrange, in_column, yaxis);
    if (all_agree(parent, x_formed && y_formed)) return 0;
    if (xaxis != nullptr) dissolve(*xaxis, parent.routine);
    if (yaxis != nullptr) dissolve(*yaxis, parent.routine);
    xaxis = yaxis = nullptr;
  }
  return 1;
}

int split_color(team_call parent, int color, int key, team*& fresh) {
  team& p = *parent.members;
  fresh = nullptr;
  const std::uint64_t origin = next_origin(p);
  begin_collective(p, parent.routine);
  const collective_call call{.members = p, .routine = parent.routine};
  const small_allgather<vote> votes(call, {color, key});
  const scratch<ranked> chosen(*p.home, p.n_pes, parent.routine);
  const int n = rank(votes, p.n_pes, color, chosen);
  if (color >= 0) {
    const scratch<int> list(*p.home, n, parent.routine);
    for (int i = 0; i < n; ++i) list[i] = p.world_pe(chosen[i].pe);
    fresh = form(*p.home, by_rule({.n_pes = n, .list = list.data(), .origin = origin}), parent.routine);
  }
  return keep_or_dissolve(parent, color < 0 || fresh != nullptr, fresh) ? 0 : 1;
}

int create_from_list(team_call world_team, const int* pes, int n, team*& fresh) {
  world& w = *world_team.members->home;
  fresh = nullptr;
  if (!valid_list(w, pes, n, world_team.routine)) return 1;
  fresh = form(w, {.n_pes = n, .list = pes}, world_team.routine);
  return fresh != nullptr ? 0 : 1;
}

}  // namespace oshen::coll
