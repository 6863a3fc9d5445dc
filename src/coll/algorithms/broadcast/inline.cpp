// A message that fits beside a flag slot: the root posts it and leaves; one cache-line transfer.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/inline_data.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  team& t = job.members;
  const std::size_t bytes = job.bytes();
  if (t.my_pe == job.root) {
    post(t, 0, job.source, bytes);
    if (!job.root_keeps_dest) memmove(job.dest, job.source, bytes);
    return;
  }
  memcpy(job.dest, await_payload(job, job.root, bytes), bytes);
}

double cost(const setting& s) { return inline_cost(s, s.bytes, 1); }

}  // namespace

constexpr algorithm inline_broadcast{
    .collective = kind::broadcast, .name = "inline", .how = design::one_sided,
    .about = "the message travels in the root's flag slot",
    .needs = "at most 2048 bytes (112 in teams without a workspace)",
    .steps = "1", .traffic = "1 flag; n b copied",
    .cost = cost, .run = run_inline};

}  // namespace oshen::coll
