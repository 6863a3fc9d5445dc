// A tree of radix 4: in each round every PE that has the message serves three more. Fewer rounds than a binomial tree,
// more messages in each: for messages so small that a PE sends several in the time that one needs.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

constexpr int radix = 4;

// Each child of a round has a step of its own.
int step_of(int round, int child) { return round * (radix - 1) + child - 1; }

template <class Protocol>
struct knomial {
  static constexpr schedule_words words{
      .name = "knomial", .about = "4-nomial tree: whoever has the message serves three more",
      .steps = "ceil(log4 n), of up to 3 messages each", .traffic = "n - 1 messages; (n - 1) b",
      .paper = paper::pjesivac_grbovic};

  // Of the three messages of a round only the last byte of the last one is waited for.
  static double cost(const setting& s) {
    const double depth = (ceil_log2(static_cast<unsigned>(s.n_pes)) + 1) / 2;
    const double children = std::min(s.n_pes, radix) - 1;
    const double messages = depth * children;
    return protocol_cost<Protocol>(s, depth, messages) + 60 * messages;
  }

  static void run(const task& job, Protocol& protocol) {
    const places at(job);
    int round = 0;
    int width = 1;  // PEs below each child of this round
    for (; width < at.n && at.mine / width % radix == 0; width *= radix) ++round;
    if (at.mine != 0) {
      const int child = at.mine / width % radix;
      protocol.receive(at.pe_at(at.mine - child * width), step_of(round, child), job.dest, job.bytes());
    }
    while (--round >= 0) {
      width /= radix;
      for (int child = 1; child < radix && at.mine + child * width < at.n; ++child)
        protocol.send(at.pe_at(at.mine + child * width), step_of(round, child), held(job), job.dest, job.bytes());
    }
    fill_root(job);
  }
};

}  // namespace

constexpr algorithm knomial_put_broadcast = row_of<knomial, put_protocol>(kind::broadcast);
constexpr algorithm knomial_message_broadcast = row_of<knomial, message_protocol>(kind::broadcast);

}  // namespace oshen::coll
