// The root copies the blocks from the sources, one after the other; small ones travel in the flag slots of those who
// give them, who leave at once. The root's own flag slot tells the others that their sources have been read.
#include "coll/algorithms/gather/left_blocks.hpp"
#include "coll/algorithms/root_blocks.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"

namespace oshen::coll {
namespace {

void run_pull(const task& job) {
  team& t = job.members;
  if (t.my_pe != job.root) return leave_block(job, job.root);
  const root_blocks blocks(job, job.into);
  blocks.copy_own(job.dest + blocks.offset(t.my_pe), job.source);
  for (const int pe : others(t)) take_block(job, pe, blocks.at(pe).elements, job.dest + blocks.offset(pe));
  post(t);
}

double cost(const setting& s) {
  return steps(s, 1.5) + lines(s, s.n_pes) + copies_alone(s, static_cast<double>(s.bytes) * (s.n_pes - 1));
}

}  // namespace

constexpr algorithm pull_gather{
    .collective = kind::gather, .name = "pull", .how = design::single_copy,
    .about = "the root reads every block where it is, or in the flag slot when it is small",
    .steps = "1 for a block of at most 112 bytes, else 2", .traffic = "n flags; every block copied once, by the root",
    .cost = cost, .run = run_pull};
constexpr algorithm pull_gatherv = pull_gather.as(kind::gatherv);

}  // namespace oshen::coll
