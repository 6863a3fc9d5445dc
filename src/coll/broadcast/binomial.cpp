// A binomial tree: in each round every PE that has the message passes it on, so that twice as many have it.
#include "coll/algorithms.hpp"
#include "coll/wire/wires.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_binomial(const task& job) {
  team& t = job.members;
  const auto pe_at = [&](int place) { return (place + job.root) % t.n_pes; };
  const int place = (t.my_pe - job.root + t.n_pes) % t.n_pes;  // the root is at 0
  Wire wire(job);
  int round = 0;  // in which this PE hears
  while (1 << round < t.n_pes && (place >> round & 1) == 0) ++round;
  if (place != 0) wire.receive(pe_at(place - (1 << round)), round, job.dest, job.bytes());
  const char* from = place == 0 ? job.source : job.dest;
  while (--round >= 0)
    if (place + (1 << round) < t.n_pes) wire.send(pe_at(place + (1 << round)), round, from, job.dest, job.bytes());
  if (place == 0 && !job.root_keeps_dest) memmove(job.dest, job.source, job.bytes());
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  return wire_cost<Wire>(s, rounds, rounds * static_cast<double>(s.bytes));
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::broadcast,
          .name = name,
          .how = Wire::how,
          .about = "binomial tree: whoever has the message passes it on",
          .needs = "a room",
          .steps = "ceil(log2 n)",
          .traffic = "n - 1 messages; (n - 1) b",
          .paper = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, "
                   "IJHPCA 19(1), 2005, doi:10.1177/1094342005051521",
          .cost = cost<Wire>,
          .run = run_binomial<Wire>};
}

}  // namespace

constexpr algorithm binomial_put_broadcast = row<put_wire>("binomial-put");
constexpr algorithm binomial_message_broadcast = row<message_wire>("binomial-message");
constexpr algorithm binomial_pull_broadcast = row<pull_wire>("binomial-pull");

}  // namespace oshen::coll
