// The root alone combines the sources, block by block; its flag slot tells the others that theirs have been read.
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"
#include "coll/protocol/partition.hpp"

namespace oshen::coll {
namespace {

// In place is safe: a block of every source has been read when the block of dest is written.
void combine_all_sources(const task& job) {
  team& t = job.members;
  alignas(cache_line) char sum[block_bytes];
  const std::size_t per_block = block_bytes / job.element_bytes;
  for (std::size_t done = 0; done < job.elements; done += per_block) {
    const std::size_t elements = std::min(per_block, job.elements - done), offset = done * job.element_bytes;
    read_from(t, 0, sum, job.source + offset, elements * job.element_bytes);
    for (int pe = 1; pe < t.n_pes; ++pe) combine_from(job, pe, sum, job.source + offset, elements);
    memcpy(job.dest + offset, sum, elements * job.element_bytes);
  }
}

void run_linear(const task& job) {
  team& t = job.members;
  if (t.my_pe != job.root) {
    post(t);
    await(job, job.root);
    return;
  }
  await_all(job);  // a source must not be read before its PE has entered
  combine_all_sources(job);
  post(t);
}

double cost(const setting& s) {
  return steps(s, 2) + lines(s, s.n_pes) + copies_alone(s, static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm linear_reduce_to_root{
    .collective = kind::reduce_to_root,
    .name = "linear",
    .how = design::single_copy,
    .about = "the root combines all sources in place",
    .steps = "2",
    .traffic = "n flags; n b read, all by the root",
    .cost = cost,
    .run = run_linear};

}  // namespace oshen::coll
