// Every PE tells the others where in its dest their blocks belong; each writes its own there, then all meet.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/block_positions.hpp"

namespace oshen::coll {
namespace {

void write_block(const task& job, int pe, const block_position& there) {
  check_length(job, "source_counts", pe, job.from.elements[pe], there.elements);
  if (there.elements != 0)
    write_to(job.members, pe, job.dest + there.first * job.element_bytes,
             job.source + job.from.first[pe] * job.element_bytes, there.elements * job.element_bytes);
}

void run_push(const task& job) {
  team& t = job.members;
  const int me = t.my_pe;
  for_each_round(job, [&](position_round r) {
    post_positions(job, r, job.into);
    if (!r.serves(me)) return;
    write_block(job, me, {job.into.first[me], job.into.elements[me]});
    for (const int pe : others(t)) write_block(job, pe, await_position(job, r, pe));
  });
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)) + sync_cost(s);
}

}  // namespace

constexpr algorithm push_alltoallv{
    .collective = kind::alltoallv, .name = "push", .how = design::single_copy,
    .about = "positions by flag slot; every PE writes its blocks into the dests",
    .steps = "2 + sync", .traffic = "n flags and a sync; every block copied once",
    .cost = cost, .run = run_push};

}  // namespace oshen::coll
