// A binomial tree combines towards the root. A PE in the middle, whose dest is not to be touched, combines in private
// memory: so there is no single-copy form, in which a parent would have to read it there.
#include "coll/algorithms/rows.hpp"

namespace oshen::coll {
namespace {

// PEs by their distance from the root; each combines those of `child_rounds`, then gives the sum away, once.
struct tree_place {
  int n_pes, root, distance;

  explicit tree_place(const task& job)
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
char* place_for_sum(const task& job, const tree_place& place) {
  if (place.distance == 0) return job.dest;
  return place.rounds() == 0 || !place.has_child(0) ? nullptr : scratch_of(job.members, job.bytes(), job.routine);
}

template <class Protocol>
struct tree {
  static constexpr schedule_words words{
      .name = "tree",
      .about = "binomial tree to the root",
      .steps = "ceil(log2 n)",
      .traffic = "n - 1 messages; (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) {
    const double depth = rounds(s);
    return protocol_cost<Protocol>(s, depth, 2 * depth * static_cast<double>(s.bytes));
  }

  static void run(const task& job, Protocol& protocol) {
    const tree_place place(job);
    char* sum = place_for_sum(job, place);
    if (sum != nullptr && sum != job.source) memmove(sum, job.source, job.bytes());
    const int rounds = place.rounds();
    for (int round = 0; round < rounds && place.has_child(round); ++round)
      protocol.pass(-1, place.child(round), round, nullptr, 0, sum, job.elements);
    if (place.distance != 0)
      protocol.pass(place.parent(rounds), -1, rounds, sum != nullptr ? sum : job.source, job.elements, nullptr, 0);
  }
};

}  // namespace

constexpr algorithm tree_put_reduce_to_root = row_of<tree, put_protocol>(kind::reduce_to_root);
constexpr algorithm tree_message_reduce_to_root = row_of<tree, message_protocol>(kind::reduce_to_root);

}  // namespace oshen::coll
