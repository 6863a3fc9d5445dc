// Neighbour exchange: a PE talks to its two neighbours only, in turn. In the first step pairs exchange their blocks;
// after that each PE hands on the pair of blocks that it was given last. Half the steps of a ring.
#include "coll/algorithms/collect/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct neighbour {
  static constexpr schedule_words words{
      .name = "neighbour",
      .about = "neighbour exchange: pairs of blocks travel both ways round the team",
      .needs = "an even number of PEs, a workspace",
      .steps = "n / 2",
      .traffic = "n^2 / 2 messages; n (n - 1) b",
      .paper = "Chen, Zhang, Zhang, Yuan: Performance evaluation of allgather algorithms on terascale Linux "
               "cluster with fast Ethernet, HPC Asia 2005, doi:10.1109/HPCASIA.2005.75"};

  static double cost(const setting& s) {
    return s.n_pes % 2 == 0 ? collect_cost<Protocol>(s, s.n_pes / 2) : impossible;
  }

  static void run(const task& job, Protocol& protocol) {
    const team& t = job.members;
    const blocks all = blocks::of(job);
    all.fill_own(job);
    const bool even = t.my_pe % 2 == 0;
    // The pair of blocks that comes from each neighbour: two PEs further on in its direction from step to step.
    const int neighbour[2] = {after(t, even ? 1 : t.n_pes - 1), after(t, even ? t.n_pes - 1 : 1)};
    const int onward[2] = {even ? 2 : t.n_pes - 2, even ? t.n_pes - 2 : 2};
    const int own_pair = even ? t.my_pe : t.my_pe - 1;
    int pair[2] = {own_pair, own_pair};
    int held = own_pair;
    if (t.n_pes > 1) {
      all.send(protocol, neighbour[0], 0, t.my_pe, 1);
      all.receive(protocol, neighbour[0], 0, neighbour[0], 1);
    }
    for (int i = 1; i < t.n_pes / 2; ++i) {
      const int side = i % 2;
      pair[side] = (pair[side] + onward[side]) % t.n_pes;
      all.send(protocol, neighbour[side], side, held, 2);
      all.receive(protocol, neighbour[side], side, pair[side], 2);
      held = pair[side];
    }
  }
};

}  // namespace

constexpr algorithm neighbour_put_fcollect = row_of<neighbour, put_protocol>(kind::fcollect);
constexpr algorithm neighbour_message_fcollect = row_of<neighbour, message_protocol>(kind::fcollect);
constexpr algorithm neighbour_put_collect = row_of<neighbour, put_protocol>(kind::collect);
constexpr algorithm neighbour_message_collect = row_of<neighbour, message_protocol>(kind::collect);

}  // namespace oshen::coll
