// Linear, as matched messages: the root sends every PE its block, one after the other.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/block_positions.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

void send_all(const task& job, message_protocol& protocol) {
  const team& t = job.members;
  const auto block = [&](int pe) { return job.source + job.from.first[pe] * job.element_bytes; };
  check_length(job, "nelems", job.elements, t.my_pe, job.from.elements[t.my_pe]);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    protocol.deposit(pe, block(pe), nullptr, job.from.elements[pe] * job.element_bytes);
  }
  if (job.elements != 0) memmove(job.dest, block(t.my_pe), job.bytes());
}

void run_linear(const task& job) {
  message_protocol protocol(job);
  if (job.members.my_pe == job.root)
    send_all(job, protocol);
  else
    protocol.accept(job.root, nullptr, job.dest, job.bytes());
  protocol.settle();
}

double cost(const setting& s) {
  return protocol_cost<message_protocol>(s, s.n_pes - 1, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

}  // namespace

constexpr algorithm linear_message_scatterv{
    .collective = kind::scatterv,
    .name = "linear-message",
    .how = design::two_sided,
    .about = "the root sends every PE its block",
    .needs = "a workspace",
    .steps = "1",
    .traffic = "n - 1 messages, empty blocks too; every block once",
    .cost = cost,
    .run = run_linear};

}  // namespace oshen::coll
