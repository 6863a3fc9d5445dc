// Virtual ranks: binomial trees with any root, and folding of teams whose size is not a power of two.
#pragma once

#include <algorithm>

#include "coll/algorithms/schedule.hpp"
#include "coll/select/domain.hpp"

namespace oshen::coll {

// The PEs of a schedule with a root: those of the team, or the leaders of its domains, of which the root leads its own.
// Their virtual ranks count cyclically from the root, which has rank 0.
struct virtual_ranks {
  int n;
  int mine;   // The virtual rank of this PE, or of its domain.
  int first;  // The PE or the domain that has rank 0.
  int root;
  const domains* led = nullptr;

  explicit virtual_ranks(const collective_call& call)
      : virtual_ranks(call.members.n_pes, call.members.my_pe, call.root, call.root) {}
  virtual_ranks(const collective_call& call, const domains& d)
      : virtual_ranks(d.count, d.mine, d.of[call.root], call.root) {
    led = &d;
  }

  int pe_at(int rank) const {
    const int number = (rank + first) % n;
    return led != nullptr ? led->leader(number, root) : number;
  }

 private:
  virtual_ranks(int size, int number, int first_number, int root_pe)
      : n(size), mine((number - first_number + size) % size), first(first_number), root(root_pe) {}
};

// The neighbours of a virtual rank in a binomial tree of `n` ranks. In round r, ranks at distance 2^r communicate. A
// rank communicates with its parent in the round of its lowest set bit, and with one child in each earlier round.
struct binomial_tree {
  int n;
  int rank;
  int rounds = 0;  // the rounds before that of the parent; for the root, all rounds

  binomial_tree(int size, int mine) : n(size), rank(mine) {
    while (1 << rounds < n && (rank >> rounds & 1) == 0) ++rounds;
  }
  explicit binomial_tree(const virtual_ranks& at) : binomial_tree(at.n, at.mine) {}

  bool is_root() const { return rank == 0; }
  bool is_leaf() const { return !is_root() && (rounds == 0 || !has_child(0)); }
  int parent() const { return rank - (1 << rounds); }
  int child(int round) const { return rank + (1 << round); }
  bool has_child(int round) const { return child(round) < n; }
};

// Sends down the tree, to every dest. `from` is the source on the root, and dest on the other PEs.
template <class Protocol>
void send_down(const collective_call& call, const virtual_ranks& at, const char* from, Protocol& protocol) {
  const binomial_tree tree(at);
  if (!tree.is_root()) protocol.receive(at.pe_at(tree.parent()), tree.rounds, call.dest, call.bytes());
  for (int round = tree.rounds; --round >= 0;)
    if (tree.has_child(round)) protocol.send(at.pe_at(tree.child(round)), round, from, call.dest, call.bytes());
}

// Combines up the tree. Each PE combines the sums of its children into `sum`, and then sends `sum` to its parent.
template <class Protocol>
void combine_up(const collective_call& call, const virtual_ranks& at, char* sum, Protocol& protocol) {
  const binomial_tree tree(at);
  for (int round = 0; round < tree.rounds && tree.has_child(round); ++round)
    protocol.exchange(round, {}, {at.pe_at(tree.child(round)), sum, call.elements});
  if (!tree.is_root()) protocol.exchange(tree.rounds, {at.pe_at(tree.parent()), sum, call.elements}, {});
}

// Folding, for numbers of PEs that are not a power of two. Of the first 2 * extra PEs, each even one sends its data to
// the next PE and waits for the result. The remaining PEs work as a team whose size is a power of two.
struct fold {
  int power = 1;  // The number of PEs that work.
  int extra = 0;  // The number of PEs that only wait.
  int rank = -1;  // The rank of this PE among those that work, or -1.
  int me;
  const int* who;  // The PEs that take part, in order. Null: all PEs of the team.

  fold(int n, int number, const int* taking_part = nullptr) : me(number), who(taking_part) {
    while (power * 2 <= n) power *= 2;
    extra = n - power;
    if (me >= 2 * extra)
      rank = me - extra;
    else if (me % 2 == 1)
      rank = me / 2;
  }
  int pe_at(int number) const { return team_pe(number < extra ? 2 * number + 1 : number + extra); }
  // The first of the PEs that rank `number` represents: that PE, and the one that has folded into it, if any.
  int first_pe(int number) const { return team_pe(number + std::min(number, extra)); }
  bool folded() const { return me < 2 * extra; }
  int team_pe(int number) const { return who != nullptr ? who[number] : number; }
  // If folded() holds: the even PE of the pair sends its data to the odd one.
  int other() const { return team_pe(me ^ 1); }
};

}  // namespace oshen::coll
