// In round i the PEs whose numbers differ by the bits of i exchange their blocks: both ways with one partner.
#include <bit>

#include "coll/algorithms/alltoall/schedule.hpp"

namespace oshen::coll {
namespace {

template <class Protocol>
struct by_xor {
  static constexpr schedule_words words{
      .name = "xor",
      .about = "one partner in each round: the number of the round says in which bits it differs",
      .needs = "a power of two of PEs, a workspace",
      .steps = "n - 1, and a sync after each 28",
      .traffic = "n (n - 1) messages; n (n - 1) b",
      .paper = paper::thakur};

  static double cost(const setting& s) {
    return std::has_single_bit(static_cast<unsigned>(s.n_pes)) ? alltoall_cost<Protocol>(s, s.n_pes - 1) : impossible;
  }

  static void run(const task& job, Protocol& protocol) {
    const auto partner = [&](int round) { return job.members.my_pe ^ round; };
    copy_own_block(job);
    for_rounds(job, protocol, partner, partner,
               [&](int to, int from, int step) { exchange_blocks(job, protocol, to, from, step); });
  }
};

}  // namespace

constexpr protocol_rows xor_alltoall = rows_of<by_xor>(kind::alltoall);

}  // namespace oshen::coll
