// Linear: PE 0 takes the vectors of all others one after the other, and sends the result to each.
#include "coll/reduce/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_root(const task& job, Wire& wire) {
  const team& t = job.members;
  source_to_dest(job);
  for (int pe = 1; pe < t.n_pes; ++pe) wire.take(pe, job.source, job.dest, job.elements);
  wire.announce();
  for (int pe = 1; pe < t.n_pes; ++pe) wire.deposit(pe, job.dest, job.dest, job.bytes());
}

// The root writes or sends the result after it has taken the source, which may be the same memory.
template <class Wire>
void run_linear(const task& job) {
  Wire wire(job);
  if (job.members.my_pe == 0) {
    run_root(job, wire);
  } else {
    wire.announce();
    wire.give(0, job.source, job.elements);
    wire.accept(0, job.dest, job.dest, job.bytes());
  }
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  return wire_cost<Wire>(s, 2.0 * (s.n_pes - 1), 4.0 * (s.n_pes - 1) * static_cast<double>(s.bytes));
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce,
          .name = name,
          .how = Wire::how,
          .about = "PE 0 combines all vectors and sends the result to all",
          .needs = "a room",
          .steps = "n",
          .traffic = "2 (n - 1) messages; 2 (n - 1) b",
          .cost = cost<Wire>,
          .run = run_linear<Wire>};
}

}  // namespace

constexpr algorithm linear_put_reduce = row<put_wire>("linear-put");
constexpr algorithm linear_message_reduce = row<message_wire>("linear-message");
constexpr algorithm linear_pull_reduce = row<pull_wire>("linear-pull");

}  // namespace oshen::coll
