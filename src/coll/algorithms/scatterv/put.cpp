// For teams that span nodes: the root hears how much each PE expects, and puts its block into its dest.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/remote_block_positions.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

// PEs say how much they expect in the root's bounce buffer, of which each has a place.
void hear_lengths(const task& job) {
  team& t = job.members;
  sync_team(t, job.routine);
  put_protocol protocol(job);
  if (t.my_pe != job.root) {
    const block_position mine{0, job.elements};
    protocol.deposit(job.root, reinterpret_cast<const char*>(&mine),
                     reinterpret_cast<char*>(&position_from(t, t.my_pe)), sizeof mine);
  } else {
    for (int i = 1; i < t.n_pes; ++i) protocol.accept(after(t, i), nullptr, nullptr, 0);
  }
  protocol.settle();
}

void give_all(const task& job, put_protocol& protocol) {
  const team& t = job.members;
  const auto block = [&](int pe) { return job.source + job.from.first[pe] * job.element_bytes; };
  check_length(job, "nelems", job.elements, t.my_pe, job.from.elements[t.my_pe]);
  for (int i = 1; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    check_length(job, "source_counts", pe, job.from.elements[pe], position_from(t, pe).elements);
    protocol.deposit(pe, block(pe), job.dest, job.from.elements[pe] * job.element_bytes);
  }
  if (job.elements != 0) memmove(job.dest, block(t.my_pe), job.bytes());
}

void run_put(const task& job) {
  hear_lengths(job);
  put_protocol protocol(job);
  if (job.members.my_pe == job.root)
    give_all(job, protocol);
  else
    protocol.accept(job.root, nullptr, nullptr, 0);
  protocol.settle();
}

double cost(const setting& s) {
  if (!s.spans || s.n_pes > max_remote_positions) return impossible;
  return protocol_cost<put_protocol>(s, 2.0 * s.n_pes, static_cast<double>(s.bytes) * (s.n_pes - 1)) + sync_cost(s);
}

}  // namespace

constexpr algorithm linear_put_scatterv{
    .collective = kind::scatterv,
    .name = "linear-put",
    .how = design::one_sided,
    .where = scope::any,
    .about = "the root hears how much each PE expects, and puts its block into its dest",
    .needs = "a team that spans nodes, at most 4096 PEs",
    .steps = "2 + sync",
    .traffic = "2 (n - 1) messages and a sync; every block once",
    .cost = cost,
    .run = run_put};

}  // namespace oshen::coll
