// Every PE combines its share of all sources where they are. The own share of a source is read by its PE only, so dest
// may lie there.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/algorithms/reduce_scatter/parts.hpp"

namespace oshen::coll {
namespace {

void run_partitioned(const task& job) {
  team& t = job.members;
  post(t);
  await_all(job);  // a source must not be read before its PE has entered
  const part mine = part_of_pe(job, t.my_pe);
  combine_part(job, mine, [&](std::size_t offset, const char* sum, std::size_t bytes) {
    memcpy(job.dest + (offset - mine.first * job.element_bytes), sum, bytes);
  });
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes) * s.n_pes) + sync_cost(s);
}

}  // namespace

constexpr algorithm partitioned_reduce_scatter{
    .collective = kind::reduce_scatter, .name = "partitioned", .how = design::single_copy,
    .about = "each PE combines its share of all sources in place; ends with a sync",
    .steps = "1 + sync", .traffic = "n flags and a sync; n^2 b read, n b written",
    .cost = cost, .run = run_partitioned};

}  // namespace oshen::coll
