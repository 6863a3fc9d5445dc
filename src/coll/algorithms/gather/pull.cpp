// The root copies the blocks from the sources, one after the other; small ones travel in the flag slots of those who
// give them, who leave at once. The root's own flag slot tells the others that their sources have been read.
#include "coll/algorithms/root_blocks.hpp"
#include "coll/choosing/algorithms.hpp"
#include "coll/choosing/cost.hpp"

namespace oshen::coll {
namespace {

void take_block(const task& job, const root_blocks& blocks, int pe) {
  const std::size_t given = await(job, pe).word;
  check_length(job, "dest_counts", pe, blocks.at(pe).elements, given);
  if (given == 0) return;
  char* to = job.dest + blocks.offset(pe);
  const std::size_t bytes = given * job.element_bytes;
  if (bytes <= flag_payload)
    memcpy(to, payload_of(job.members, pe, bytes), bytes);
  else
    read_from(job.members, pe, to, job.source, bytes);
}

void run_pull(const task& job) {
  team& t = job.members;
  if (t.my_pe != job.root) {
    const bool small = job.bytes() <= flag_payload;
    post(t, job.elements, job.source, small ? job.bytes() : 0);
    if (!small) await(job, job.root);
    return;
  }
  const root_blocks blocks(job, job.into);
  blocks.copy_own(job.dest + blocks.offset(t.my_pe), job.source);
  for (const int pe : others(t)) take_block(job, blocks, pe);
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
