// Linear: each PE adds what the PE before it has, and hands the sum on.
#include "coll/scan/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void linear(const task& job, Wire& wire) {
  const team& t = job.members;
  if (t.my_pe > 0) wire.pass(-1, t.my_pe - 1, 0, nullptr, 0, job.dest, job.elements);
  if (t.my_pe + 1 < t.n_pes) wire.pass(t.my_pe + 1, -1, 0, job.dest, job.elements, nullptr, 0);
}

template <class Wire, bool inclusive>
double cost(const setting& s) {
  [[maybe_unused]] const double rounds = ceil_log2(static_cast<unsigned>(s.n_pes));
  const double messages = s.n_pes - 1.0;
  return wire_cost<Wire>(s, messages + (inclusive ? 0 : 1), 2 * messages * static_cast<double>(s.bytes));
}

template <class Wire, bool inclusive>
constexpr algorithm row(const char* name) {
  return {.collective = inclusive ? kind::inscan : kind::exscan,
          .name = name,
          .how = Wire::how,
          .about = "each PE adds what the PE before it has and hands the sum on",
          .needs = "a room",
          .steps = inclusive ? "n - 1" : "n",
          .traffic = inclusive ? "n - 1 messages; (n - 1) b" : "2 (n - 1) messages; 2 (n - 1) b",
          .cost = cost<Wire, inclusive>,
          .run = inclusive ? run_inscan<Wire, linear<Wire>> : run_exscan<Wire, linear<Wire>>};
}

}  // namespace

constexpr algorithm linear_put_inscan = row<put_wire, true>("linear-put");
constexpr algorithm linear_message_inscan = row<message_wire, true>("linear-message");
constexpr algorithm linear_pull_inscan = row<pull_wire, true>("linear-pull");
constexpr algorithm linear_put_exscan = row<put_wire, false>("linear-put");
constexpr algorithm linear_message_exscan = row<message_wire, false>("linear-message");
constexpr algorithm linear_pull_exscan = row<pull_wire, false>("linear-pull");

}  // namespace oshen::coll
