// For teams that span nodes: the root tells every PE where its block belongs, and each puts it there.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/remote_block_positions.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

void lead(const task& job, put_protocol& protocol, const cells& c) {
  const team& t = job.members;
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    tell_position(c, pe, {job.into.first[pe], job.into.elements[pe]});
    protocol.accept(pe, nullptr, nullptr, 0);
  }
  check_length(job, "dest_counts", t.my_pe, job.into.elements[t.my_pe], job.elements);
  if (job.elements != 0) memmove(job.dest + job.into.first[t.my_pe] * job.element_bytes, job.source, job.bytes());
}

void run_put(const task& job) {
  put_protocol protocol(job);
  const cells c(job);
  if (job.members.my_pe == job.root) {
    lead(job, protocol, c);
  } else {
    const block_position there = hear_position(c, job.root);
    check_length(job, "nelems", job.elements, job.root, there.elements);
    protocol.deposit(job.root, job.source, job.dest + there.first * job.element_bytes, job.bytes());
  }
  protocol.settle();
}

double cost(const setting& s) {
  if (!s.spans) return impossible;
  return protocol_cost<put_protocol>(s, s.n_pes, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

}  // namespace

constexpr algorithm linear_put_gatherv{
    .collective = kind::gatherv,
    .name = "linear-put",
    .how = design::one_sided,
    .where = scope::any,
    .about = "the root tells every PE where its block belongs, and each puts it there",
    .needs = "a team that spans nodes",
    .steps = "2",
    .traffic = "2 (n - 1) messages; every block once",
    .cost = cost,
    .run = run_put};

}  // namespace oshen::coll
