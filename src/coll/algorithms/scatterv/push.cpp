// The root writes each block into its dest, then posts how long they are, and leaves.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/block_positions.hpp"

namespace oshen::coll {
namespace {

void write_blocks(const task& job) {
  team& t = job.members;
  for (int i = 0; i < t.n_pes; ++i) {
    const int pe = after(t, i);
    const char* block = job.source + job.from.first[pe] * job.element_bytes;
    if (job.from.elements[pe] != 0) write_to(t, pe, job.dest, block, job.from.elements[pe] * job.element_bytes);
  }
}

void run_push(const task& job) {
  team& t = job.members;
  const int me = t.my_pe;
  if (me == job.root) {
    check_length(job, "nelems", job.elements, me, job.from.elements[me]);
    write_blocks(job);
  }
  for_each_round(job, [&](position_round r) {
    if (me == job.root)
      post_positions(job, r, job.from);
    else if (r.serves(me))
      check_length(job, "nelems", job.elements, job.root, await_position(job, r, job.root).elements);
  });
}

double cost(const setting& s) { return steps(s, 1.5) + copies_alone(s, static_cast<double>(s.bytes) * (s.n_pes - 1)); }

}  // namespace

constexpr algorithm push_scatterv{
    .collective = kind::scatterv,
    .name = "push",
    .how = design::single_copy,
    .about = "the root writes every dest, then one flag",
    .steps = "1",
    .traffic = "1 flag; every block copied once, all by the root",
    .cost = cost,
    .run = run_push};

}  // namespace oshen::coll
