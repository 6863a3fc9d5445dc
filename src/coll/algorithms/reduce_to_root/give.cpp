// Linear, with the vectors brought to the root: it combines what the others give, one after the other. The single-copy
// form is linear.cpp, where the root reads them block by block.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_linear(const task& job) {
  const team& t = job.members;
  Protocol protocol(job);
  protocol.expose();
  if (t.my_pe != job.root) {
    protocol.give(job.root, job.source, job.elements);
  } else {
    if (job.dest != job.source) memmove(job.dest, job.source, job.bytes());
    for (int i = 1; i < t.n_pes; ++i) protocol.take(after(t, i), job.source, job.dest, job.elements);
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return protocol_cost<Protocol>(s, s.n_pes - 1, 2 * static_cast<double>(s.bytes) * (s.n_pes - 1));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::reduce_to_root,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "the root combines the vectors that the others give it",
          .needs = "a workspace",
          .steps = "n - 1",
          .traffic = "n - 1 messages; (n - 1) b",
          .cost = cost<Protocol>,
          .run = run_linear<Protocol>};
}

}  // namespace

constexpr algorithm linear_put_reduce_to_root = row<put_protocol>("linear-put");
constexpr algorithm linear_message_reduce_to_root = row<message_protocol>("linear-message");

}  // namespace oshen::coll
