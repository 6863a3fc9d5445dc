#include "coll/api/collectives.hpp"

#include "coll/call/sequence.hpp"
#include "op/order.hpp"
#include "world/current.hpp"

namespace oshen::coll {
namespace {}  // namespace

void set_buffers(collective_call& call, team_call at, void* dest, const void* source, std::size_t dest_bytes,
                 std::size_t source_bytes) {
  const op::call_site site = site_of(at);
  call.dest_bytes = dest_bytes;
  call.source_bytes = source_bytes;
  if (dest_bytes != 0) call.dest = byte_offset(static_cast<char*>(dest), op::own_slice(site, "dest", dest, dest_bytes));
  if (source_bytes != 0)
    call.source = byte_offset(static_cast<const char*>(source), op::own_slice(site, "source", source, source_bytes));
  // A PE that contributes nothing to a collect still receives, and needs the address of dest.
  if (dest_bytes == 0 && dest != nullptr && call.dest == nullptr)
    call.dest = byte_offset(static_cast<char*>(dest), op::own_slice(site, "dest", dest, 1));
}

std::size_t product(team_call at, const char* argument, std::size_t a, std::size_t b) {
  std::size_t result = 0;
  if (__builtin_mul_overflow(a, b, &result))
    op::bad_argument(site_of(at), "%s: %zu times %zu exceeds the address space", argument, a, b);
  return result;
}

void check_root(team_call at, int root) {
  if (root < 0 || root >= at.members->n_pes)
    op::bad_argument(site_of(at), "PE_root = %d: expected 0 .. %d", root, at.members->n_pes - 1);
}

void check_strides(team_call at, std::ptrdiff_t dst, std::ptrdiff_t sst) {
  if (dst < 1) op::bad_argument(site_of(at), "dst = %td: expected a stride of at least 1", dst);
  if (sst < 1) op::bad_argument(site_of(at), "sst = %td: expected a stride of at least 1", sst);
}

int sync(team_call at) {
  sync_team(*at.members, at.routine);
  return 0;
}

void barrier(team_call at) {
  op::quiet(op::site_of(default_context, at.routine));
  sync_team(*at.members, at.routine);
}

// The flags of the sync order everything for the PEs of the barrier. The quiet is for threads outside the barrier,
// which may otherwise miss a put from before it (design/completion-and-ordering.md).
void barrier_all(const char* routine) {
  op::quiet(op::site_of(default_context, routine));
  sync_team(current_world->team_world, routine);
}

void sync_all(const char* routine) {
  if (current_world == nullptr) [[unlikely]]
    op::bad_pe(op::site_of(default_context, routine), 0);
  sync_team(current_world->team_world, routine);
}

}  // namespace oshen::coll
