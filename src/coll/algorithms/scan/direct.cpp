// Inscan and exscan by direct access to the memory of peers on one node.
#include "coll/algorithms/inline_data.hpp"
#include "coll/algorithms/scan/running_sums.hpp"
#include "coll/call/sequence.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"

namespace oshen::coll {

// ---- inline -------------------------------------------------------------------------------------------------
//
// For vectors that fit into a flag slot or a long payload. Every PE posts its vector, and adds those of the PEs before
// it.

namespace {

void scan_before(const collective_call& call, int end) {
  const std::size_t bytes = call.bytes();
  alignas(16) std::byte sum[long_payload_bytes];
  post(call.members, 0, call.source, bytes);
  if (end > 0)
    combine_posted(call, end, bytes, sum);
  else
    memset(sum, 0, bytes);  // zero bits are zero in every type of a scan
  memcpy(call.dest, sum, bytes);
}

void run_inclusive(const collective_call& call) { scan_before(call, call.members.my_pe + 1); }
void run_exclusive(const collective_call& call) { scan_before(call, call.members.my_pe); }

double cost_of_inline(const team_shape& s) { return inline_cost(s, s.bytes, s.n_pes - 1); }

}  // namespace

constexpr algorithm inline_inscan{.collective = kind::inscan,
                                  .name = "inline",
                                  .protocol = protocol_kind::one_sided,
                                  .about = "vectors travel in the flag slots; each PE adds those of the PEs before it",
                                  .needs = "at most 2 KiB",
                                  .steps = "1",
                                  .traffic = "n flags; n b bytes to the flag slots",
                                  .cost = cost_of_inline,
                                  .run = run_inclusive};
constexpr algorithm inline_exscan = inline_inscan.as(kind::exscan, run_exclusive);

// ---- partitioned --------------------------------------------------------------------------------------------
//
// Each PE owns a share of the vector. It adds that share of all sources, in the order of the team, and writes the
// running sum into each dest. Dest may be source, because a block is read before it is written.

namespace {

template <bool inclusive>
void run_partitioned(const collective_call& call) {
  team& t = call.members;
  post(t);
  await_all(call);
  carry_sums<inclusive>(call, 0, t.n_pes, aligned_share(call, t.my_pe));
  sync_team(t, call.routine);
}

double cost_of_partitioned(const team_shape& s) {
  return steps(s, 1) + lines(s, 3.0 * (s.n_pes - 1)) + sync_cost(s) + copies(s, 1.1 * static_cast<double>(s.bytes));
}

}  // namespace

constexpr algorithm partitioned_inscan{.collective = kind::inscan,
                                       .name = "partitioned",
                                       .protocol = protocol_kind::single_copy,
                                       .about = "each PE computes the running sums of its share for all PEs",
                                       .steps = "2 + sync",
                                       .traffic = "n flags and a sync; n b bytes read, n b written",
                                       .cost = cost_of_partitioned,
                                       .run = run_partitioned<true>};
constexpr algorithm partitioned_exscan = partitioned_inscan.as(kind::exscan, run_partitioned<false>);

}  // namespace oshen::coll
