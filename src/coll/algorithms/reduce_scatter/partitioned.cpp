// Every PE combines its share of all sources where they are. The own share of a source is read by its PE only, so dest
// may lie there.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/algorithms/reduce_scatter/parts.hpp"

namespace oshen::coll {
namespace {

void combine_part(const task& job, const part& mine) {
  team& t = job.members;
  alignas(cache_line) char sum[block_bytes];
  const std::size_t per_block = block_bytes / job.element_bytes;
  for (std::size_t done = 0; done < mine.elements; done += per_block) {
    const std::size_t elements = std::min(per_block, mine.elements - done);
    const char* from = job.source + (mine.first + done) * job.element_bytes;
    read_from(t, 0, sum, from, elements * job.element_bytes);
    for (int pe = 1; pe < t.n_pes; ++pe) combine_from(job, pe, sum, from, elements);
    memcpy(job.dest + done * job.element_bytes, sum, elements * job.element_bytes);
  }
}

void run_partitioned(const task& job) {
  team& t = job.members;
  post(t);
  await_all(job);  // a source must not be read before its PE has entered
  combine_part(job, part_of_pe(job, t.my_pe));
  sync_team(t, job.routine);
}

double cost(const setting& s) {
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes) * s.n_pes) + sync_cost(s);
}

}  // namespace

constexpr algorithm partitioned_reduce_scatter{
    .collective = kind::reduce_scatter,
    .name = "partitioned",
    .how = design::single_copy,
    .about = "each PE combines its share of all sources in place; ends with a sync",
    .steps = "1 + sync",
    .traffic = "n flags and a sync; n^2 b read, n b written",
    .cost = cost,
    .run = run_partitioned};

}  // namespace oshen::coll
