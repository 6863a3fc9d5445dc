// For teams that span nodes: every PE puts into each peer's bounce buffer where its block belongs, then all put their
// blocks.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/remote_block_positions.hpp"
#include "coll/protocol/protocols.hpp"

namespace oshen::coll {
namespace {

// The bounce buffer is free when all have come; the second sync keeps the counts of positions and of blocks apart.
void exchange_positions(const task& job) {
  team& t = job.members;
  sync_team(t, job.routine);
  put_protocol protocol(job);
  for (const int pe : others(t)) {
    const block_position mine{job.into.first[pe], job.into.elements[pe]};
    protocol.deposit(pe, reinterpret_cast<const char*>(&mine), reinterpret_cast<char*>(&position_from(t, t.my_pe)),
                     sizeof mine);
    protocol.accept(pe, nullptr, nullptr, sizeof mine);
  }
  protocol.settle();
  sync_team(t, job.routine);
}

void run_put(const task& job) {
  team& t = job.members;
  const std::size_t size = job.element_bytes;
  exchange_positions(job);
  copy_own_block(job);
  put_protocol protocol(job);
  for (const int pe : others(t)) {
    const block_position there = position_from(t, pe);
    check_length(job, "source_counts", pe, job.from.elements[pe], there.elements);
    protocol.deposit(pe, job.source + job.from.first[pe] * size, job.dest + there.first * size, there.elements * size);
    protocol.accept(pe, nullptr, nullptr, 0);
  }
  protocol.settle();
}

double cost(const setting& s) {
  if (!s.spans || s.n_pes > max_remote_positions) return impossible;
  return protocol_cost<put_protocol>(s, 2.0 * s.n_pes, 1) + 2 * sync_cost(s);
}

}  // namespace

constexpr algorithm linear_put_alltoallv{
    .collective = kind::alltoallv, .name = "linear-put", .how = design::one_sided, .where = scope::any,
    .about = "every PE tells each peer where its block belongs, then all put",
    .needs = "a team that spans nodes, at most 4096 PEs",
    .steps = "2 + 2 syncs", .traffic = "2 n (n - 1) messages; every block once",
    .cost = cost, .run = run_put};

}  // namespace oshen::coll
