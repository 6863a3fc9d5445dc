// Blocks that fit together beside a flag slot: everybody posts all its blocks and reads its own from each.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/inline_data.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  const auto block = [&](int pe) { return static_cast<std::size_t>(pe) * bytes; };
  post(t, 0, job.source, block(t.n_pes));
  memcpy(job.dest + block(t.my_pe), job.source + block(t.my_pe), bytes);
  for (const int pe : others(t))
    memcpy(job.dest + block(pe), await_payload(job, pe, block(t.n_pes)) + block(t.my_pe), bytes);
}

double cost(const setting& s) { return inline_cost(s, s.bytes * static_cast<std::size_t>(s.n_pes), s.n_pes - 1); }

}  // namespace

constexpr algorithm inline_alltoall{
    .collective = kind::alltoall, .name = "inline", .how = design::one_sided,
    .about = "all blocks of a PE travel in its flag slot",
    .needs = "at most 2048 bytes from each PE (112 in teams without a workspace)",
    .steps = "1", .traffic = "n flags; n^2 b to the flag slots, n (n - 1) b to the dests",
    .cost = cost, .run = run_inline};

}  // namespace oshen::coll
