// Linear: the root gives every PE its block, one after the other.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_linear(const task& job) {
  const team& t = job.members;
  const std::size_t bytes = job.bytes();
  const auto block = [&](int pe) { return job.source + static_cast<std::size_t>(pe) * bytes; };
  Protocol protocol(job);
  protocol.expose();
  if (t.my_pe != job.root) {
    protocol.accept(job.root, block(t.my_pe), job.dest, bytes);
  } else {
    for (int i = 1; i < t.n_pes; ++i) protocol.deposit(after(t, i), block(after(t, i)), job.dest, bytes);
    memmove(job.dest, block(t.my_pe), bytes);
  }
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return protocol_cost<Protocol>(s, s.n_pes - 1, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::scatter,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "the root gives every PE its block",
          .needs = "a workspace",
          .steps = "1",
          .traffic = "n - 1 messages; (n - 1) b",
          .cost = cost<Protocol>,
          .run = run_linear<Protocol>};
}

}  // namespace

constexpr algorithm linear_put_scatter = row<put_protocol>("linear-put");
constexpr algorithm linear_message_scatter = row<message_protocol>("linear-message");
constexpr algorithm linear_pull_scatter = row<pull_protocol>("linear-pull");

}  // namespace oshen::coll
