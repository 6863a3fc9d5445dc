// Every PE copies from the root's source, all at the same time; the root leaves when all have it.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_pull(const task& job) {
  team& t = job.members;
  if (t.my_pe == job.root) {
    post(t);
    if (!job.root_keeps_dest) memmove(job.dest, job.source, job.bytes());
  } else {
    await(job, job.root);  // its source must not be read before it has entered
    read_from(t, job.root, job.dest, job.source, job.bytes());
  }
  sync_team(t, job.routine);
}

double cost(const setting& s) { return steps(s, 1) + sync_cost(s) + copies(s, static_cast<double>(s.bytes)); }

}  // namespace

constexpr algorithm pull_broadcast{
    .collective = kind::broadcast, .name = "pull", .how = design::single_copy,
    .about = "every PE reads the root's source at once; ends with a sync",
    .steps = "1 + sync", .traffic = "1 flag and a sync; (n - 1) b copied, each PE its own",
    .cost = cost, .run = run_pull};

}  // namespace oshen::coll
