// Every PE copies its block from the root's source, all at the same time, and says so; the root waits for that. Its
// flag, which nobody may read before, tells in scatterv where the blocks are.
#include "coll/algorithms/root_blocks.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"

namespace oshen::coll {
namespace {

void run_pull(const task& job) {
  team& t = job.members;
  const root_blocks blocks(job, job.from);
  const char* block = job.source + blocks.tell();
  if (t.my_pe != job.root) {
    if (job.elements != 0) read_from(t, job.root, job.dest, block, job.bytes());
    post(t);
    return;
  }
  blocks.copy_own(job.dest, block);
  await_all(job);
}

double cost(const setting& s) { return steps(s, 2) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)); }

}  // namespace

constexpr algorithm pull_scatter{
    .collective = kind::scatter, .name = "pull", .how = design::single_copy,
    .about = "every PE reads its block of the root's source; the root waits for all",
    .steps = "2", .traffic = "n flags; every block copied once, each PE its own",
    .cost = cost, .run = run_pull};
constexpr algorithm pull_scatterv = pull_scatter.as(kind::scatterv);

}  // namespace oshen::coll
