// Prefix sums of vectors that fit beside a flag slot: everybody posts and adds up the PEs before it.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/inline_data.hpp"

namespace oshen::coll {
namespace {

void scan_before(const task& job, int end) {
  const std::size_t bytes = job.bytes();
  alignas(16) std::byte sum[long_payload_bytes];
  post(job.members, 0, job.source, bytes);
  if (end > 0)
    combine_posted(job, end, bytes, sum);
  else
    memset(sum, 0, bytes);  // zero in every type that scans have
  memcpy(job.dest, sum, bytes);
}

void run_inclusive(const task& job) { scan_before(job, job.members.my_pe + 1); }
void run_exclusive(const task& job) { scan_before(job, job.members.my_pe); }

double cost(const setting& s) { return inline_cost(s, s.bytes, s.n_pes - 1); }

}  // namespace

constexpr algorithm inline_inscan{
    .collective = kind::inscan, .name = "inline", .how = design::one_sided,
    .about = "vectors travel in the flag slots; each PE adds up those before it",
    .needs = "at most 2048 bytes (112 in teams without a workspace)",
    .steps = "1", .traffic = "n flags; n b to the flag slots",
    .cost = cost, .run = run_inclusive};
constexpr algorithm inline_exscan = inline_inscan.as(kind::exscan, run_exclusive);

}  // namespace oshen::coll
