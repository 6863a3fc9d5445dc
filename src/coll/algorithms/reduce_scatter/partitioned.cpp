// Every PE combines its share of all sources in place. Dest may be this PE's own share of its source, because no other
// PE reads that share.
#include "coll/algorithms/reduce_scatter/parts.hpp"
#include "coll/call/sequence.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {
namespace {

void run_partitioned(const collective_call& call) {
  team& t = call.members;
  post(t);
  await_all(call);  // a source must not be read before its PE has entered
  const element_range mine = share_of(call, t.my_pe);
  combine_range(call, mine, [&](std::size_t offset, const char* sum, std::size_t bytes) {
    memcpy(call.dest + (offset - mine.first * call.element_bytes), sum, bytes);
  });
  sync_team(t, call.routine);
}

double cost(const team_shape& s) {
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, static_cast<double>(s.bytes) * s.n_pes) + sync_cost(s);
}

}  // namespace

constexpr algorithm partitioned_reduce_scatter{
    .collective = kind::reduce_scatter,
    .name = "partitioned",
    .protocol = protocol_kind::single_copy,
    .about = "each PE combines its share of all sources in place; ends with a sync",
    .steps = "1 + sync",
    .traffic = "n flags and a sync; n^2 b bytes read, n b written",
    .cost = cost,
    .run = run_partitioned};

}  // namespace oshen::coll
