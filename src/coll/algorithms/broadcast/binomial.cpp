// A binomial tree: in each round every PE that has the message passes it on, so that twice as many have it.
#include "coll/algorithms/broadcast/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct binomial {
  static constexpr schedule_words words{
      .name = "binomial",
      .about = "binomial tree: whoever has the message passes it on",
      .steps = "ceil(log2 n)",
      .traffic = "n - 1 messages; (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) {
    const double depth = rounds(s);
    return protocol_cost<Protocol>(s, depth, depth * static_cast<double>(s.bytes));
  }

  static void run(const task& job, Protocol& protocol) {
    const places at(job);
    int round = 0;  // in which this PE hears
    while (1 << round < at.n && (at.mine >> round & 1) == 0) ++round;
    if (at.mine != 0) protocol.receive(at.pe_at(at.mine - (1 << round)), round, job.dest, job.bytes());
    while (--round >= 0)
      if (at.mine + (1 << round) < at.n)
        protocol.send(at.pe_at(at.mine + (1 << round)), round, held(job), job.dest, job.bytes());
    fill_root(job);
  }
};

}  // namespace

constexpr protocol_rows binomial_broadcast = rows_of<binomial>(kind::broadcast);

}  // namespace oshen::coll
