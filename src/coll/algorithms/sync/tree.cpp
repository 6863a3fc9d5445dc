// A tree of four children to a node: PEs report upwards when their children have, and are released downwards.
#include "coll/algorithms/papers.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/algorithms/sync/flags.hpp"

namespace oshen::coll {
namespace {

constexpr int arity = 4;

void run_tree(const task& job) {
  team& t = job.members;
  const std::uint64_t present = ++t.syncs;
  const int first = t.my_pe * arity + 1, end = first + arity < t.n_pes ? first + arity : t.n_pes;
  for (int child = first; child < end; ++child)
    await_told(job, child, t.own_slot().rounds[first_tree_flag + child - first].count, present);
  if (t.my_pe != 0) {
    const int parent = (t.my_pe - 1) / arity, which = (t.my_pe - 1) % arity;
    tell(t, parent, t.own_slot().rounds[first_tree_flag + which].count, present);
    await_told(job, parent, t.own_slot().release, present);
  }
  for (int child = first; child < end; ++child) tell(t, child, t.own_slot().release, present);
}

double cost(const setting& s) {
  int levels = 0;
  for (int reached = 1, width = 1; reached < s.n_pes; ++levels) reached += width *= arity;
  return steps(s, (s.cpu_for_each && !s.spans ? 3.4 : 2) * levels);
}

}  // namespace

constexpr algorithm tree_sync{
    .collective = kind::sync, .name = "tree", .how = design::one_sided, .where = scope::any,
    .about = "a tree with four children to a node: up, and down again",
    .steps = "2 ceil(log4 (3 n / 4))", .traffic = "2 (n - 1) flags",
    .paper = paper::mellor_crummey,
    .cost = cost, .run = run_tree};

}  // namespace oshen::coll
