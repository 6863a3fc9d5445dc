// Every PE writes its block into every dest, which the standard lets it do early, then all meet.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/partition.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  char* block = job.dest + static_cast<std::size_t>(t.my_pe) * bytes;  // the same place in every dest
  write_to_all(job, block, job.source, bytes);
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return sync_cost(s) + lines(s, s.n_pes) + copies(s, 0.4 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_fcollect{
    .collective = kind::fcollect, .name = "push", .how = design::single_copy,
    .about = "every PE writes its block into every dest; ends with a sync",
    .steps = "1 + sync", .traffic = "a sync; n (n - 1) b copied",
    .cost = cost, .run = run_push};

}  // namespace oshen::coll
