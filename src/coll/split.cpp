#include "coll/split.hpp"

#include <stdlib.h>

#include "coll/form.hpp"
#include "coll/reach.hpp"

namespace oshen::coll {
namespace {

// A list of PEs that lives as long as the call.
class pe_list {
 public:
  explicit pe_list(int n) : pes_(static_cast<int*>(malloc(static_cast<std::size_t>(n) * sizeof(int)))) {}
  ~pe_list() { free(pes_); }
  pe_list(const pe_list&) = delete;
  pe_list& operator=(const pe_list&) = delete;
  int* data() const { return pes_; }

 private:
  int* pes_;
};

// A list of different PEs of the world, this one among them.
bool valid_list(const world& w, const int* pes, int n) {
  if (n < 1 || n > w.n_pes || pes == nullptr) return false;
  bool listed = false;
  for (int i = 0; i < n; ++i) {
    if (pes[i] < 0 || pes[i] >= w.n_pes) return false;
    for (int k = 0; k < i; ++k)
      if (pes[k] == pes[i]) return false;
    listed = listed || pes[i] == w.pe;
  }
  return listed;
}

bool valid_triplet(const team& parent, int start, int stride, int size) {
  if (size < 1 || start < 0 || start >= parent.n_pes || (stride == 0 && size != 1)) return false;
  const long long last = start + static_cast<long long>(stride) * (size - 1);
  return last >= 0 && last < parent.n_pes;
}

// The same number on every PE of the parent, and for no other formation.
std::uint64_t next_origin(team& parent) {
  return static_cast<std::uint64_t>(parent.slot + 1) << 40 | ++parent.formations;
}

// Forms the team of the parent's PEs start, start + stride, ... if this PE is one of them. False: it failed.
bool form_strided(site at, int start, int stride, int size, team*& fresh) {
  team& parent = *at.members;
  const std::uint64_t origin = next_origin(parent);
  world& w = *parent.home;
  fresh = nullptr;
  if (parent.list == nullptr) {
    const membership who{.n_pes = size, .start = parent.world_pe(start), .stride = parent.stride * stride,
                         .origin = origin};
    if (who.find(w.pe) < 0) return true;
    return (fresh = form(w, who, at.routine)) != nullptr;
  }
  const pe_list list(size);
  for (int i = 0; i < size; ++i) list.data()[i] = parent.world_pe(start + i * stride);
  const membership who{.n_pes = size, .list = list.data(), .origin = origin};
  if (who.find(w.pe) < 0) return true;
  return (fresh = form(w, who, at.routine)) != nullptr;
}

// True on every PE of the team if all say yes.
bool all_agree(site at, bool yes) {
  team& t = *at.members;
  begin_collective(t, at.routine);
  post(t, yes ? 1 : 0);
  const task job{.members = t, .routine = at.routine};
  for (int i = 1; i < t.n_pes; ++i) yes = (await(job, after(t, i)).word != 0) && yes;
  return yes;
}

struct vote {
  int color;
  int key;
};

vote vote_of(const task& job, int pe) {
  vote v;
  memcpy(&v, await(job, pe).payload, sizeof v);
  return v;
}

}  // namespace

int split_strided(site parent, int start, int stride, int size, team*& fresh) {
  fresh = nullptr;
  if (!valid_triplet(*parent.members, start, stride, size)) return 1;
  return form_strided(parent, start, stride, size, fresh) ? 0 : 1;
}

int split_2d(site parent, int xrange, team*& xaxis, team*& yaxis) {
  const team& p = *parent.members;
  xaxis = yaxis = nullptr;
  if (xrange < 1) return 1;
  if (xrange > p.n_pes) xrange = p.n_pes;
  const int x = p.my_pe % xrange, y = p.my_pe / xrange;
  const int row = y * xrange;
  const int in_row = p.n_pes - row < xrange ? p.n_pes - row : xrange;
  const int in_column = (p.n_pes - x + xrange - 1) / xrange;
  const bool x_formed = form_strided(parent, row, 1, in_row, xaxis);
  const bool y_formed = form_strided(parent, x, xrange, in_column, yaxis);
  if (all_agree(parent, x_formed && y_formed)) return 0;
  // A team is formed on all its members or on none, so its members undo it together.
  if (xaxis != nullptr) dissolve(*xaxis, parent.routine);
  if (yaxis != nullptr) dissolve(*yaxis, parent.routine);
  xaxis = yaxis = nullptr;
  return 1;
}

int split_color(site parent, int color, int key, team*& fresh) {
  team& p = *parent.members;
  fresh = nullptr;
  const std::uint64_t origin = next_origin(p);
  begin_collective(p, parent.routine);
  const vote mine{color, key};
  post(p, 0, &mine, sizeof mine);
  const task job{.members = p, .routine = parent.routine};
  // Insertion by key keeps PEs with equal keys in the order of the parent.
  const pe_list list(p.n_pes), keys(p.n_pes);
  int n = 0;
  for (int pe = 0; pe < p.n_pes; ++pe) {
    const vote v = vote_of(job, pe);
    if (v.color != color) continue;
    int place = n++;
    for (; place > 0 && keys.data()[place - 1] > v.key; --place) {
      keys.data()[place] = keys.data()[place - 1];
      list.data()[place] = list.data()[place - 1];
    }
    keys.data()[place] = v.key;
    list.data()[place] = p.world_pe(pe);
  }
  if (color < 0) return 0;
  fresh = form(*p.home, {.n_pes = n, .list = list.data(), .origin = origin}, parent.routine);
  return fresh != nullptr ? 0 : 1;
}

int create_from_list(site world_team, const int* pes, int n, team*& fresh) {
  world& w = *world_team.members->home;
  fresh = nullptr;
  if (!valid_list(w, pes, n)) return 1;
  fresh = form(w, {.n_pes = n, .list = pes}, world_team.routine);
  return fresh != nullptr ? 0 : 1;
}

}  // namespace oshen::coll
