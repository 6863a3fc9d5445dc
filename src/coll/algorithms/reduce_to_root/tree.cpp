// A binomial tree combines towards the root. A PE in the middle, whose dest is not to be touched, combines in private
// memory: so there is no single-copy form, in which a parent would have to read it there.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

// PEs by their distance from the root; each combines those of `child_rounds`, then gives the sum away, once.
struct tree {
  int n_pes, root, distance;

  explicit tree(const task& job)
      : n_pes(job.members.n_pes), root(job.root), distance((job.members.my_pe + n_pes - root) % n_pes) {}

  // The first round in which this PE gives; so it has had at most that many children. The root: past the last round.
  int rounds() const {
    int round = 0;
    while (1 << round < n_pes && (distance >> round & 1) == 0) ++round;
    return round;
  }
  bool has_child(int round) const { return distance + (1 << round) < n_pes; }
  int child(int round) const { return (root + distance + (1 << round)) % n_pes; }
  int parent(int round) const { return (root + distance - (1 << round)) % n_pes; }
};

// Where this PE combines: a leaf has nothing to combine.
char* place_for_sum(const task& job, const tree& place) {
  if (place.distance == 0) return job.dest;
  return place.rounds() == 0 || !place.has_child(0) ? nullptr : scratch_of(job.members, job.bytes(), job.routine);
}

template <class Protocol>
void run_tree(const task& job) {
  const tree place(job);
  Protocol protocol(job);
  char* sum = place_for_sum(job, place);
  if (sum != nullptr && sum != job.source) memmove(sum, job.source, job.bytes());
  const int rounds = place.rounds();
  for (int round = 0; round < rounds && place.has_child(round); ++round)
    protocol.pass(-1, place.child(round), round, nullptr, 0, sum, job.elements);
  if (place.distance != 0)
    protocol.pass(place.parent(rounds), -1, rounds, sum != nullptr ? sum : job.source, job.elements, nullptr, 0);
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  return protocol_cost<Protocol>(s, rounds, 2 * rounds * static_cast<double>(s.bytes));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce_to_root,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "binomial tree to the root",
          .needs = "a workspace",
          .steps = "ceil(log2 n)",
          .traffic = "n - 1 messages; (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Protocol>,
          .run = run_tree<Protocol>};
}

}  // namespace

constexpr algorithm tree_put_reduce_to_root = row<put_protocol>("tree-put");
constexpr algorithm tree_message_reduce_to_root = row<message_protocol>("tree-message");

}  // namespace oshen::coll
