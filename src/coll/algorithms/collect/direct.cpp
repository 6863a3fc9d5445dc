// Collect and fcollect by direct access to the memory of peers on one node.
#include "coll/algorithms/inline_data.hpp"
#include "coll/call/sequence.hpp"
#include "coll/protocol/small_allgather.hpp"
#include "coll/select/cost.hpp"
#include "coll/select/registry.hpp"
#include "coll/shared_memory/partition.hpp"

namespace oshen::coll {

// ---- inline -------------------------------------------------------------------------------------------------
//
// Contributions that fit into a flag slot have arrived with the counts. Every PE copies them from there.

namespace {

void run_inline_collect(const collective_call& call) {
  const team& t = call.members;
  char* next = call.dest;
  for (int pe = 0; pe < t.n_pes; ++pe) {
    const std::size_t bytes = count_of(call, pe) * call.element_bytes;
    if (bytes != 0) memcpy(next, t.slot_of(pe).flags[slot_index(t)].payload, bytes);
    next += bytes;
  }
}

double cost_of_inline_collect(const team_shape& s) {
  return s.bytes <= flag_payload ? steps(s, 1) + lines(s, s.n_pes - 1) : impossible;
}

}  // namespace

constexpr algorithm inline_collect{.collective = kind::collect,
                                   .name = "inline",
                                   .protocol = protocol_kind::one_sided,
                                   .about = "contributions travel in the flag slots, together with the counts",
                                   .needs = "at most 112 bytes from each PE",
                                   .steps = "1",
                                   .traffic = "n flags; n b bytes to the flag slots, n (n - 1) b to the dests",
                                   .cost = cost_of_inline_collect,
                                   .run = run_inline_collect};

// ---- inline -------------------------------------------------------------------------------------------------
//
// For contributions that fit into a flag slot or a long payload. Every PE posts its own and reads all others. No
// acknowledgement is needed.

namespace {

void run_inline_fcollect(const collective_call& call) {
  const std::size_t bytes = call.bytes();
  post(call.members, 0, call.source, bytes);
  collect_posted(call, bytes);
}

double cost_of_inline_fcollect(const team_shape& s) { return inline_cost(s, s.bytes, s.n_pes - 1); }

}  // namespace

constexpr algorithm inline_fcollect{.collective = kind::fcollect,
                                    .name = "inline",
                                    .protocol = protocol_kind::one_sided,
                                    .about = "contributions travel in the flag slots",
                                    .needs = "at most 2 KiB from each PE",
                                    .steps = "1",
                                    .traffic = "n flags; n b bytes to the flag slots, n (n - 1) b to the dests",
                                    .cost = cost_of_inline_fcollect,
                                    .run = run_inline_fcollect};

// ---- push ---------------------------------------------------------------------------------------------------
//
// Every PE writes its block into every dest, behind the blocks of the PEs before it. Then all PEs synchronise.

namespace {

void run_push_collect(const collective_call& call) {
  team& t = call.members;
  std::size_t before = 0;  // elements of the PEs before this one
  for (int pe = 0; pe < t.my_pe; ++pe) before += count_of(call, pe);
  char* block = call.dest + before * call.element_bytes;
  write_to_all(call, block, call.source, call.bytes());
  sync_team(t, call.routine);
}

double cost_of_push_collect(const team_shape& s) {
  return steps(s, 1) + lines(s, s.n_pes - 1) + sync_cost(s) + copies(s, 0.4 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_collect{.collective = kind::collect,
                                 .name = "push",
                                 .protocol = protocol_kind::single_copy,
                                 .about = "every PE writes its block into every dest; ends with a sync",
                                 .steps = "2 + sync",
                                 .traffic = "n flags and a sync; every block copied to n - 1 PEs",
                                 .cost = cost_of_push_collect,
                                 .run = run_push_collect};

// ---- push ---------------------------------------------------------------------------------------------------
//
// Every PE writes its block into every dest, which the standard permits before the peer has entered. Then all PEs
// synchronise.

namespace {

void run_push_fcollect(const collective_call& call) {
  team& t = call.members;
  const std::size_t bytes = call.bytes();
  char* block = call.dest + static_cast<std::size_t>(t.my_pe) * bytes;  // at the same offset in every dest
  write_to_all(call, block, call.source, bytes);
  sync_team(t, call.routine);
}

double cost_of_push_fcollect(const team_shape& s) {
  return sync_cost(s) + lines(s, s.n_pes) + copies(s, 0.4 * static_cast<double>(s.bytes) * s.n_pes);
}

}  // namespace

constexpr algorithm push_fcollect{.collective = kind::fcollect,
                                  .name = "push",
                                  .protocol = protocol_kind::single_copy,
                                  .about = "every PE writes its block into every dest; ends with a sync",
                                  .steps = "1 + sync",
                                  .traffic = "a sync; n (n - 1) b bytes copied",
                                  .cost = cost_of_push_fcollect,
                                  .run = run_push_fcollect};

}  // namespace oshen::coll
