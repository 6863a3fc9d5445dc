// The root writes each block into its dest, which it may do before that PE has entered, posts and leaves. In scatterv
// its flag slot tells how long they are.
#include "coll/algorithms/root_blocks.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"

namespace oshen::coll {
namespace {

void write_blocks(const task& job, const root_blocks& blocks) {
  const team& t = job.members;
  for (const int pe : others(t)) {
    if (const std::size_t n = blocks.bytes(pe); n != 0) write_to(t, pe, job.dest, job.source + blocks.offset(pe), n);
  }
}

void run_push(const task& job) {
  const root_blocks blocks(job, job.from);
  const int me = job.members.my_pe;
  if (me == job.root) write_blocks(job, blocks);
  blocks.tell();
  if (me == job.root) blocks.copy_own(job.dest, job.source + blocks.offset(me));
}

double cost(const setting& s) { return steps(s, 1.5) + copies_alone(s, static_cast<double>(s.bytes) * (s.n_pes - 1)); }

}  // namespace

constexpr algorithm push_scatter{
    .collective = kind::scatter, .name = "push", .how = design::single_copy,
    .about = "the root writes every dest, then one flag",
    .steps = "1", .traffic = "1 flag; every block copied once, all by the root",
    .cost = cost, .run = run_push};
constexpr algorithm push_scatterv = push_scatter.as(kind::scatterv);

}  // namespace oshen::coll
