// In round i the PEs whose numbers differ by the bits of i exchange their blocks: both ways with one partner.
#include <bit>

#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
void run_xor(const task& job) {
  const auto partner = [&](int round) { return job.members.my_pe ^ round; };
  Protocol protocol(job);
  copy_own_block(job);
  for_rounds(job, protocol, partner, partner,
             [&](int to, int from, int step) { exchange_blocks(job, protocol, to, from, step); });
  protocol.settle();
}

template <class Protocol>
double cost(const setting& s) {
  return std::has_single_bit(static_cast<unsigned>(s.n_pes)) ? alltoall_cost<Protocol>(s, s.n_pes - 1) : impossible;
}

template <class Protocol>
constexpr algorithm row(const char* name) {
  return {.collective = kind::alltoall,
          .name = name,
          .how = Protocol::how,
          .where = Protocol::where,
          .about = "one partner in each round: the number of the round says in which bits it differs",
          .needs = "a power of two of PEs, a workspace",
          .steps = "n - 1, and a sync after each 28",
          .traffic = "n (n - 1) messages; n (n - 1) b",
          .paper = thakur_paper,
          .cost = cost<Protocol>,
          .run = run_xor<Protocol>};
}

}  // namespace

constexpr algorithm xor_put_alltoall = row<put_protocol>("xor-put");
constexpr algorithm xor_message_alltoall = row<message_protocol>("xor-message");
constexpr algorithm xor_pull_alltoall = row<pull_protocol>("xor-pull");

}  // namespace oshen::coll
