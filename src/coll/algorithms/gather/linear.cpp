// Linear: every PE gives its block to the root, in no order.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_linear(const task& job) {
  const team& t = job.members;
  const std::size_t bytes = job.bytes();
  const auto block = [&](int pe) { return job.dest + static_cast<std::size_t>(pe) * bytes; };
  Protocol protocol(job);
  protocol.expose();
  if (t.my_pe != job.root) {
    protocol.deposit(job.root, job.source, block(t.my_pe), bytes);
  } else {
    memmove(block(t.my_pe), job.source, bytes);
    for (int i = 1; i < t.n_pes; ++i) protocol.accept(after(t, i), job.source, block(after(t, i)), bytes);
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return protocol_cost<Protocol>(s, s.n_pes - 1, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::gather,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "every PE gives its block to the root",
          .needs = "a workspace",
          .steps = "1",
          .traffic = "n - 1 messages; (n - 1) b",
          .cost = cost<Protocol>,
          .run = run_linear<Protocol>};
}

}  // namespace

constexpr algorithm linear_put_gather = row<put_protocol>("linear-put");
constexpr algorithm linear_message_gather = row<message_protocol>("linear-message");
constexpr algorithm linear_pull_gather = row<pull_protocol>("linear-pull");

}  // namespace oshen::coll
