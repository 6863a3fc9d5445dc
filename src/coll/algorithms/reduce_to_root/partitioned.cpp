// Each PE owns a share of the vector. It combines that share of all sources in place, and writes the result into
// the root's dest, whose offset the root posts. Dest may be source, because only its owner reads and writes a share.
#include "coll/call/sequence.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {
namespace {

void run_partitioned(const collective_call& call) {
  team& t = call.members;
  const flag_slot& posted = t.slot_of(call.root).flags[slot_index(t)];
  const auto deliver = [&](std::size_t offset, const char* sum, std::size_t bytes) {
    write_to(t, call.root, object_at(t, posted.value) + offset, sum, bytes);
  };
  combine_own_share(call, deliver, offset_in_slice(t, call.dest));
  sync_team(t, call.routine);
}

double cost(const team_shape& s) {
  const auto b = static_cast<double>(s.bytes);
  return steps(s, 1) + lines(s, s.n_pes) + copies(s, b + b / s.n_pes) + sync_cost(s);
}

}  // namespace

constexpr algorithm partitioned_reduce_to_root{
    .collective = kind::reduce_to_root,
    .name = "partitioned",
    .protocol = protocol_kind::single_copy,
    .about = "each PE combines its share of all sources in place and writes it to the root",
    .steps = "1 + sync",
    .traffic = "n flags and a sync; n b bytes read, b written",
    .cost = cost,
    .run = run_partitioned};

}  // namespace oshen::coll
