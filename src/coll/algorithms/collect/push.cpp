// Every PE writes its block behind those of the PEs before it, in every dest, and all meet.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/counts.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/partition.hpp"

namespace oshen::coll {
namespace {

void run_push(const task& job) {
  team& t = job.members;
  std::size_t before = 0;  // elements of the PEs before this one
  for (int pe = 0; pe < t.my_pe; ++pe) before += count_of(job, pe);
  char* block = job.dest + before * job.element_bytes;
  write_to_all(job, block, job.source, job.bytes());
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return steps(s, 1) + lines(s, s.n_pes - 1) + sync_cost(s) + copies(s, 0.4 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_collect{
    .collective = kind::collect, .name = "push", .how = design::single_copy,
    .about = "every PE writes its block into every dest; ends with a sync",
    .steps = "2 + sync", .traffic = "n flags and a sync; every block copied to n - 1 PEs",
    .cost = cost, .run = run_push};

}  // namespace oshen::coll
