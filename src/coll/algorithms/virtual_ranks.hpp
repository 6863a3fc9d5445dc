// Binomial trees, down from a root or up to it, and who stands where in them.
#pragma once

#include "coll/algorithms/schedule.hpp"
#include "coll/select/domain.hpp"

namespace oshen::coll {

// The PEs of a schedule with a root, counted from the root, which is at place 0: those of the team, or the leaders of
// its domains, of which the root leads its own.
struct places {
  int n;
  int mine;   // of leaders: that of this PE's
  int first;  // the number in the team, or of the domain, that is at place 0
  int root;
  const domains* led = nullptr;

  explicit places(const collective_call& call) : places(call.members.n_pes, call.members.my_pe, call.root, call.root) {}
  places(const collective_call& call, const domains& d) : places(d.count, d.mine, d.of[call.root], call.root) {
    led = &d;
  }

  int pe_at(int place) const {
    const int number = (place + first) % n;
    return led != nullptr ? led->leader(number, root) : number;
  }

 private:
  places(int size, int number, int at_first, int root_pe)
      : n(size), mine((number - at_first + size) % size), first(at_first), root(root_pe) {}
};

// A place in a tree of `n`. In round r places that lie 2^r apart are joined: each with its parent in one round, that of
// its lowest bit, and with a child in each round before.
struct binomial_tree {
  int n;
  int place;
  int rounds = 0;  // those before the parent's: as many as this place can have children. Of the root: all

  binomial_tree(int size, int mine) : n(size), place(mine) {
    while (1 << rounds < n && (place >> rounds & 1) == 0) ++rounds;
  }
  explicit binomial_tree(const places& at) : binomial_tree(at.n, at.mine) {}

  bool is_root() const { return place == 0; }
  bool is_leaf() const { return !is_root() && (rounds == 0 || !has_child(0)); }
  int parent() const { return place - (1 << rounds); }
  int child(int round) const { return place + (1 << round); }
  bool has_child(int round) const { return child(round) < n; }
};

// From the root's `from`, the others' dest, to every dest.
template <class Protocol>
void send_down(const collective_call& call, const places& at, const char* from, Protocol& protocol) {
  const binomial_tree tree(at);
  if (!tree.is_root()) protocol.receive(at.pe_at(tree.parent()), tree.rounds, call.dest, call.bytes());
  for (int round = tree.rounds; --round >= 0;)
    if (tree.has_child(round)) protocol.send(at.pe_at(tree.child(round)), round, from, call.dest, call.bytes());
}

// From every `sum` to the root's: each place combines what its children have, then gives the sum away, once.
template <class Protocol>
void combine_up(const collective_call& call, const places& at, char* sum, Protocol& protocol) {
  const binomial_tree tree(at);
  for (int round = 0; round < tree.rounds && tree.has_child(round); ++round)
    protocol.exchange(round, {}, {at.pe_at(tree.child(round)), sum, call.elements});
  if (!tree.is_root()) protocol.exchange(tree.rounds, {at.pe_at(tree.parent()), sum, call.elements}, {});
}

// Teams that are no power of two: of the first 2 * extra PEs the even ones hand what they have to the next one, and
// wait for the result; the others work as a team of a power of two.
struct fold {
  int power = 1;   // PEs that work
  int extra = 0;   // PEs that do not
  int place = -1;  // of this PE among those that work
  int me;
  const int* who;  // PEs of the team that take part, in order; null: all

  fold(int n, int number, const int* taking_part = nullptr) : me(number), who(taking_part) {
    while (power * 2 <= n) power *= 2;
    extra = n - power;
    if (me >= 2 * extra)
      place = me - extra;
    else if (me % 2 == 1)
      place = me / 2;
  }
  int pe_at(int at) const { return team_pe(at < extra ? 2 * at + 1 : at + extra); }
  // The first of the PEs that the place `at` stands for: itself, and the one that has folded into it.
  int first_pe(int at) const { return team_pe(at + std::min(at, extra)); }
  bool folded() const { return me < 2 * extra; }
  int team_pe(int number) const { return who != nullptr ? who[number] : number; }
  int other() const { return team_pe(me ^ 1); }  // where `folded`: the even one hands over to the odd one
};

}  // namespace oshen::coll
