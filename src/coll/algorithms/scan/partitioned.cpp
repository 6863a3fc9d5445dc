// Each PE owns a part of the vector and runs once through the sources of all PEs in order, writing the running
// sum into each dest. In place is safe: a block is read before the same block is written.
#include "coll/algorithms/scan/running_sums.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"

namespace oshen::coll {
namespace {

template <bool inclusive>
void run_partitioned(const task& job) {
  team& t = job.members;
  post(t);
  await_all(job);
  carry_sums<inclusive>(job, 0, t.n_pes, part_of(job, t.my_pe));
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return steps(s, 1) + lines(s, 3.0 * (s.n_pes - 1)) + sync_cost(s) + copies(s, 1.1 * static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm partitioned_inscan{
    .collective = kind::inscan, .name = "partitioned", .how = design::single_copy,
    .about = "each PE carries the running sum of its part through all PEs",
    .steps = "2 + sync", .traffic = "n flags and a sync; n b read, n b written",
    .cost = cost, .run = run_partitioned<true>};
constexpr algorithm partitioned_exscan = partitioned_inscan.as(kind::exscan, run_partitioned<false>);

}  // namespace oshen::coll
