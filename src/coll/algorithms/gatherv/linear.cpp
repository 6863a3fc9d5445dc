// Linear, as matched messages: every PE sends its block to the root and leaves; the root takes them in no order.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/block_positions.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

void take_all(const task& job, message_protocol& protocol) {
  const team& t = job.members;
  const auto block = [&](int pe) { return job.dest + job.into.first[pe] * job.element_bytes; };
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    protocol.accept(pe, nullptr, block(pe), job.into.elements[pe] * job.element_bytes);
  }
  check_length(job, "dest_counts", t.my_pe, job.into.elements[t.my_pe], job.elements);
  if (job.elements != 0) memmove(block(t.my_pe), job.source, job.bytes());
}

void run_linear(const task& job) {
  message_protocol protocol(job);
  if (job.members.my_pe == job.root)
    take_all(job, protocol);
  else
    protocol.deposit(job.root, job.source, nullptr, job.bytes());
  protocol.settle();
}

double cost(const setting& s) {
  return protocol_cost<message_protocol>(s, s.n_pes - 1, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

}  // namespace

constexpr algorithm linear_message_gatherv{
    .collective = kind::gatherv,
    .name = "linear-message",
    .how = design::two_sided,
    .about = "every PE sends its block to the root",
    .needs = "a workspace",
    .steps = "1",
    .traffic = "n - 1 messages, empty blocks too; every block once",
    .cost = cost,
    .run = run_linear};

}  // namespace oshen::coll
