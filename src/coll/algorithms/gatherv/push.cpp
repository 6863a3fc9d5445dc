// The root tells each PE where its block belongs; all write at the same time, post, and leave.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/block_positions.hpp"

namespace oshen::coll {
namespace {

void write_block(const task& job, const block_position& there) {
  check_length(job, "nelems", job.elements, job.root, there.elements);
  if (there.elements != 0)
    write_to(job.members, job.root, job.dest + there.first * job.element_bytes, job.source, job.bytes());
}

void run_push(const task& job) {
  team& t = job.members;
  const int me = t.my_pe;
  for_each_round(job, [&](position_round r) {
    if (me == job.root)
      post_positions(job, r, job.into);
    else if (r.serves(me))
      write_block(job, await_position(job, r, job.root));
  });
  if (me != job.root) {
    post(t);  // in the last round, where it has not posted yet
    return;
  }
  check_length(job, "dest_counts", me, job.into.elements[me], job.elements);
  if (job.elements != 0) memmove(job.dest + job.into.first[me] * job.element_bytes, job.source, job.bytes());
  await_all(job);
}

double cost(const setting& s) { return steps(s, 2) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)); }

}  // namespace

constexpr algorithm push_gatherv{
    .collective = kind::gatherv,
    .name = "push",
    .how = design::single_copy,
    .about = "the root tells the positions, every PE writes its block there",
    .steps = "2",
    .traffic = "n flags; every block copied once, each PE its own",
    .cost = cost,
    .run = run_push};

}  // namespace oshen::coll
