// Every PE copies its block from the root's source, all at the same time, and says so; the root waits for that.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {
namespace {

void run_pull(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  const char* block = job.source + static_cast<std::size_t>(t.my_pe) * bytes;
  if (t.my_pe == job.root) {
    post(t);
    memmove(job.dest, block, bytes);
    await_all(job);
    return;
  }
  await(job, job.root);  // its source must not be read before it has entered
  read_from(t, job.root, job.dest, block, bytes);
  post(t);
}

double cost(const setting& s) { return steps(s, 2) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes)); }

}  // namespace

constexpr algorithm pull_scatter{
    .collective = kind::scatter,
    .name = "pull",
    .how = design::single_copy,
    .about = "every PE reads its block of the root's source; the root waits for all",
    .steps = "2",
    .traffic = "n flags; (n - 1) b copied, each PE its own",
    .cost = cost,
    .run = run_pull};

}  // namespace oshen::coll
