// Which steps each non-blocking collective consists of.
#include "coll/async/stand_in.hpp"
#include "coll/async/steps.hpp"
#include "world/control.hpp"

namespace oshen::coll::async {
namespace {

constexpr schedule team_sync{{enter, all_entered}};

constexpr schedule small_root{{enter, copy_own}};
constexpr schedule small_leaf{{hear_root}};
constexpr schedule large_root{{enter, copy_own, all_finished}};
constexpr schedule large_leaf{{pull_root, finish}};

constexpr schedule small_blocks{{enter, hear_blocks}};
constexpr schedule large_blocks{{enter, pull_blocks, finish, all_finished}};

constexpr schedule small_reduce{{enter, all_entered, combine_told}};
constexpr schedule large_reduce{{enter, all_entered, combine_part, finish, all_finished}};

// Bytes that this PE would have to tell the others.
std::size_t contribution(const operation& op) {
  const auto n = static_cast<std::size_t>(op.job.members.n_pes);
  return op.collective == kind::alltoall ? op.job.bytes() * n : op.job.bytes();
}

const schedule& schedule_of(const operation& op, bool small) {
  const bool root = op.job.members.my_pe == op.job.root;
  switch (op.collective) {
    case kind::broadcast:
      if (root) return small ? small_root : large_root;
      return small ? small_leaf : large_leaf;
    case kind::alltoall:
    case kind::fcollect: return small ? small_blocks : large_blocks;
    case kind::reduce: return small ? small_reduce : large_reduce;
    default: return team_sync;
  }
}

}  // namespace

void plan(operation& op) {
  if (op.job.members.spans) {
    op.next = stood_in.steps;
    return;
  }
  const std::size_t bytes = contribution(op);
  const bool small = bytes <= request_payload;
  op.next = schedule_of(op, small).steps;
  op.told = small ? bytes : 0;
}

}  // namespace oshen::coll::async
