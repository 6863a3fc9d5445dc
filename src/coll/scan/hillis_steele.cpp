// Hillis and Steele: in round r each PE adds what the PE 2^r before it had at the start of the round.
#include "coll/scan/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void hillis_steele(const task& job, Wire& wire) {
  const team& t = job.members;
  for (int round = 0; 1 << round < t.n_pes; ++round) {
    const int to = t.my_pe + (1 << round), from = t.my_pe - (1 << round);
    wire.trade(to < t.n_pes ? to : -1, from >= 0 ? from : -1, round, job.dest, job.elements);
  }
}

template <class Wire, bool inclusive>
double cost(const setting& s) {
  [[maybe_unused]] const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  const double messages = rounds;
  return wire_cost<Wire>(s, messages + (inclusive ? 0 : 1), 4 * messages * static_cast<double>(s.bytes));
}

template <class Wire, bool inclusive>
constexpr algorithm row(const char* name) {
  return {.collective = inclusive ? kind::inscan : kind::exscan,
          .name = name,
          .how = Wire::how,
          .about = "in round r each PE adds what the PE 2^r before it has",
          .needs = "a room",
          .steps = inclusive ? "ceil(log2 n)" : "ceil(log2 n) + 1",
          .traffic = inclusive ? "n - 2^r messages in round r, each b bytes" : "n - 2^r messages in round r, and n - 1; each b bytes",
          .paper = "Hillis, Steele: Data parallel algorithms, CACM 29(12), 1986, doi:10.1145/7902.7903",
          .cost = cost<Wire, inclusive>,
          .run = inclusive ? run_inscan<Wire, hillis_steele<Wire>> : run_exscan<Wire, hillis_steele<Wire>>};
}

}  // namespace

constexpr algorithm hillis_steele_put_inscan = row<put_wire, true>("hillis-steele-put");
constexpr algorithm hillis_steele_message_inscan = row<message_wire, true>("hillis-steele-message");
constexpr algorithm hillis_steele_pull_inscan = row<pull_wire, true>("hillis-steele-pull");
constexpr algorithm hillis_steele_put_exscan = row<put_wire, false>("hillis-steele-put");
constexpr algorithm hillis_steele_message_exscan = row<message_wire, false>("hillis-steele-message");
constexpr algorithm hillis_steele_pull_exscan = row<pull_wire, false>("hillis-steele-pull");

}  // namespace oshen::coll
