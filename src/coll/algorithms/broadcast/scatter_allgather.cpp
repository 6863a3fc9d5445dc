// Van de Geijn: a binomial tree scatters the message, a ring collects it again, so that every PE sends about as much
// as it receives. A PE is not sent again what came to it with its part of the tree.
#include "coll/algorithms/broadcast/schedule.hpp"
#include "coll/protocol/partition.hpp"

namespace oshen::coll {
namespace {

constexpr int ring_step = 29;  // of the cells: those below are for the tree

// The part of each place, and of `count` places from `first` on.
struct scattered {
  const task& job;

  std::size_t begin(int place) const {
    return place < job.members.n_pes ? part_of(job, place).first * job.element_bytes : job.bytes();
  }
  std::size_t bytes(int first, int count) const { return begin(first + count) - begin(first); }
};

// Places of the part of the tree below a place, itself included.
int below(int place, int n) { return place == 0 ? n : std::min(place & -place, n - place); }

template <class Protocol>
void scatter(const task& job, const places& at, const scattered& parts, Protocol& protocol) {
  const binomial_tree tree(at);
  if (!tree.is_root())
    protocol.receive(at.pe_at(tree.parent()), tree.rounds, job.dest + parts.begin(at.mine),
                     parts.bytes(at.mine, below(at.mine, at.n)));
  for (int round = tree.rounds; --round >= 0;) {
    if (!tree.has_child(round)) continue;
    const int child = tree.child(round);
    const std::size_t begin = parts.begin(child);
    protocol.send(at.pe_at(child), round, held(job) + begin, job.dest + begin, parts.bytes(child, below(child, at.n)));
  }
}

template <class Protocol>
struct scatter_allgather {
  static constexpr schedule_words words{
      .name = "scatter-allgather", .about = "van de Geijn: scatter by a binomial tree, collect by a ring",
      .steps = "ceil(log2 n) + n - 1", .traffic = "fewer than n^2 messages; (n - 1) b",
      .paper = paper::barnett};

  static double cost(const setting& s) { return protocol_cost<Protocol>(s, rounds(s) + s.n_pes - 1, 2); }

  static void run(const task& job, Protocol& protocol) {
    const places at(job);
    const scattered parts{job};
    scatter(job, at, parts, protocol);
    const int next = (at.mine + 1) % at.n;
    const int before = (at.mine + at.n - 1) % at.n;
    for (int i = 0; i < at.n - 1; ++i) {
      const int given = (at.mine - i + at.n) % at.n;
      const int wanted = (before - i + at.n) % at.n;
      if (i < at.n - below(next, at.n))
        protocol.send(at.pe_at(next), ring_step, held(job) + parts.begin(given), job.dest + parts.begin(given),
                  parts.bytes(given, 1));
      if (i < at.n - below(at.mine, at.n))
        protocol.receive(at.pe_at(before), ring_step, job.dest + parts.begin(wanted), parts.bytes(wanted, 1));
    }
    fill_root(job);
  }
};

}  // namespace

constexpr protocol_rows scatter_allgather_broadcast = rows_of<scatter_allgather>(kind::broadcast);

}  // namespace oshen::coll
