// Binomial trees, down from a root or up to it, and who stands where in them.
#pragma once

#include "coll/algorithms/rows.hpp"
#include "coll/choosing/domain.hpp"

namespace oshen::coll {

// The PEs of a schedule with a root, counted from the root, which is at place 0: those of the team, or the leaders of
// its domains, of which the root leads its own.
struct places {
  int n;
  int mine;   // of leaders: that of this PE's
  int first;  // the number in the team, or of the domain, that is at place 0
  int root;
  const domains* led = nullptr;

  explicit places(const task& job) : places(job.members.n_pes, job.members.my_pe, job.root, job.root) {}
  places(const task& job, const domains& d) : places(d.count, d.mine, d.of[job.root], job.root) { led = &d; }

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
void send_down(const task& job, const places& at, const char* from, Protocol& protocol) {
  const binomial_tree tree(at);
  if (!tree.is_root()) protocol.receive(at.pe_at(tree.parent()), tree.rounds, job.dest, job.bytes());
  for (int round = tree.rounds; --round >= 0;)
    if (tree.has_child(round)) protocol.send(at.pe_at(tree.child(round)), round, from, job.dest, job.bytes());
}

// From every `sum` to the root's: each place combines what its children have, then gives the sum away, once.
template <class Protocol>
void combine_up(const task& job, const places& at, char* sum, Protocol& protocol) {
  const binomial_tree tree(at);
  for (int round = 0; round < tree.rounds && tree.has_child(round); ++round)
    protocol.pass(-1, at.pe_at(tree.child(round)), round, nullptr, 0, sum, job.elements);
  if (!tree.is_root()) protocol.pass(at.pe_at(tree.parent()), -1, tree.rounds, sum, job.elements, nullptr, 0);
}

}  // namespace oshen::coll
