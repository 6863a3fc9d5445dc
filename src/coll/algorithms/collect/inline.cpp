// Contributions that fit into a flag slot have come with the counts: everybody copies them from there.
#include "coll/choosing/algorithms.hpp"
#include "coll/protocol/counts.hpp"
#include "coll/choosing/cost.hpp"

namespace oshen::coll {
namespace {

void run_inline(const task& job) {
  const team& t = job.members;
  char* place = job.dest;
  for (int pe = 0; pe < t.n_pes; ++pe) {
    const std::size_t bytes = count_of(job, pe) * job.element_bytes;
    if (bytes != 0) memcpy(place, t.slot_of(pe).flags[line_of(t)].payload, bytes);
    place += bytes;
  }
}

double cost(const setting& s) { return s.bytes <= flag_payload ? steps(s, 1) + lines(s, s.n_pes - 1) : impossible; }

}  // namespace

constexpr algorithm inline_collect{
    .collective = kind::collect, .name = "inline", .how = design::one_sided,
    .about = "contributions travel in the flag slots, with the counts",
    .needs = "at most 112 bytes from each PE",
    .steps = "1", .traffic = "n flags; n b to the flag slots, n (n - 1) b to the dests",
    .cost = cost, .run = run_inline};

}  // namespace oshen::coll
