// Bulk barrier with packing: the HybridBarrier of the LAMMPS paper.
//
// Pack and put everything, one barrier over the group, unpack everything. The simplest strategy,
// and on a node with one PE per core a good one: the barrier costs one cache line transfer.
// Messages: one put per peer, none where the receiver is mapped, since packing then writes to its
// memory. Copies of a byte: two (pack, unpack), three through a put. Memory: twice the largest
// run's receive bytes per group.
#include <chrono>

#include "plan.hpp"

namespace oshen::exchange {
namespace {

using clock = std::chrono::steady_clock;

double seconds(clock::time_point from, clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// True when puts are under way that shmem_quiet has to complete.
bool send_all(const oshen_plan& plan, const void* in) {
  const oshen_group& group = *plan.group;
  bool putting = false;
  for (const auto& p : plan.sends) {
    const auto& to = group.members[static_cast<std::size_t>(p.peer)];
    const std::size_t offset = group.half_of(p.peer) + p.slot;
    if (to.direct != nullptr) {
      pack_parcel(plan, p, in, to.direct + offset);
    } else {
      std::byte* packed = plan.staging.get() + p.staged;
      pack_parcel(plan, p, in, packed);
      shmem_putmem_nbi(group.arena->base + offset, packed, p.bytes, to.pe);
      putting = true;
    }
  }
  return putting;
}

void run(oshen_plan& plan, const void* in, void* out) {
  const auto start = clock::now();
  // The sync makes plain stores visible; only puts need quiet as well.
  if (send_all(plan, in)) shmem_quiet();
  const auto sent = clock::now();
  shmem_team_sync(plan.group->team);
  const auto met = clock::now();
  const std::byte* mine = plan.group->own_half();
  for (const auto& p : plan.receives) unpack_parcel(plan, p, mine + p.slot, out);
  plan.pack_seconds += seconds(start, sent);
  plan.wait_seconds += seconds(sent, met);
  plan.unpack_seconds += seconds(met, clock::now());
}

}  // namespace

const strategy bulk_barrier = {
    "bulk_barrier", "pack and put everything, one barrier over the group, unpack everything", run};

}  // namespace oshen::exchange
