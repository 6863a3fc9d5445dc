// The root tells each PE where in its source that PE's block lies; all copy at the same time and say so.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/block_positions.hpp"

namespace oshen::coll {
namespace {

void read_block(const task& job, const block_position& there) {
  check_length(job, "nelems", job.elements, job.root, there.elements);
  if (there.elements != 0)
    read_from(job.members, job.root, job.dest, job.source + there.first * job.element_bytes, job.bytes());
}

void run_pull(const task& job) {
  team& t = job.members;
  const int me = t.my_pe;
  for_each_round(job, [&](position_round r) {
    if (me == job.root)
      post_positions(job, r, job.from);
    else if (r.serves(me))
      read_block(job, await_position(job, r, job.root));
  });
  if (me != job.root) {
    post(t);  // in the last round, where it has not posted yet
    return;
  }
  check_length(job, "nelems", job.elements, me, job.from.elements[me]);
  if (job.elements != 0) memmove(job.dest, job.source + job.from.first[me] * job.element_bytes, job.bytes());
  await_all(job);
}

double cost(const setting& s) { return steps(s, 2) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)); }

}  // namespace

constexpr algorithm pull_scatterv{
    .collective = kind::scatterv,
    .name = "pull",
    .how = design::single_copy,
    .about = "positions by flag slot; every PE reads its block of the root's source, the root waits for all",
    .steps = "2",
    .traffic = "n flags; every block copied once, each PE its own",
    .cost = cost,
    .run = run_pull};

}  // namespace oshen::coll
