// Linear, with the vectors brought to the root: it combines what the others give, one after the other. The single-copy
// form is linear.cpp, where the root reads them block by block.
#include "coll/algorithms.hpp"
#include "coll/wire/wires.hpp"

namespace oshen::coll {
namespace {

template <class Wire>
void run_linear(const task& job) {
  const team& t = job.members;
  Wire wire(job);
  wire.announce();
  if (t.my_pe != job.root) {
    wire.give(job.root, job.source, job.elements);
  } else {
    if (job.dest != job.source) memmove(job.dest, job.source, job.bytes());
    for (int i = 1; i < t.n_pes; ++i) wire.take(after(t, i), job.source, job.dest, job.elements);
  }
  wire.settle();
}

template <class Wire>
double cost(const setting& s) {
  return wire_cost<Wire>(s, s.n_pes - 1, 2 * static_cast<double>(s.bytes) * (s.n_pes - 1));
}

template <class Wire>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce_to_root,
          .name = name,
          .how = Wire::how,
          .about = "the root combines the vectors that the others give it",
          .needs = "a room",
          .steps = "n - 1",
          .traffic = "n - 1 messages; (n - 1) b",
          .cost = cost<Wire>,
          .run = run_linear<Wire>};
}

}  // namespace

constexpr algorithm linear_put_reduce_to_root = row<put_wire>("linear-put");
constexpr algorithm linear_message_reduce_to_root = row<message_wire>("linear-message");

}  // namespace oshen::coll
