// Each PE owns a share of the vector. It combines that share of all sources in place, and writes the result into
// every dest. Dest may be source, because only its owner reads and writes a share.
#include "coll/call/sequence.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {
namespace {

void run_partitioned(const collective_call& call) {
  team& t = call.members;
  combine_own_share(call, [&](std::size_t offset, const char* sum, std::size_t bytes) {
    for (int i = 0; i < t.n_pes; ++i) write_to(t, after(t, i), call.dest + offset, sum, bytes);
  });
  sync_team(t, call.routine);
}

double cost(const team_shape& s) {
  return steps(s, 1) + lines(s, 2.0 * (s.n_pes - 1)) + sync_cost(s) + copies(s, static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm partitioned_reduce{
    .collective = kind::reduce,
    .name = "partitioned",
    .protocol = protocol_kind::single_copy,
    .about = "each PE combines its share of all sources in place and writes it into every dest",
    .steps = "2 + sync",
    .traffic = "n flags and a sync; n b bytes read, n b written",
    .cost = cost,
    .run = run_partitioned};

}  // namespace oshen::coll
