#include "coll/collectives.hpp"

#include "op/order.hpp"
#include "world/current.hpp"

namespace oshen::coll {
namespace {

op::site as_operation(site at) { return {&at.members->reach, at.routine}; }

}  // namespace

void aim_task(task& job, site at, void* dest, const void* source, std::size_t dest_bytes, std::size_t source_bytes) {
  const op::site here = as_operation(at);
  if (dest_bytes != 0)
    job.dest = byte_offset(static_cast<char*>(dest), op::own_slice(here, "dest", dest, dest_bytes));
  if (source_bytes != 0)
    job.source = byte_offset(static_cast<const char*>(source), op::own_slice(here, "source", source, source_bytes));
  // A PE that gives nothing to a collect still receives.
  if (dest_bytes == 0 && dest != nullptr && job.dest == nullptr)
    job.dest = byte_offset(static_cast<char*>(dest), op::own_slice(here, "dest", dest, 1));
}

std::size_t product(site at, const char* argument, std::size_t a, std::size_t b) {
  std::size_t result = 0;
  if (__builtin_mul_overflow(a, b, &result))
    op::bad_argument(as_operation(at), "%s: %zu times %zu exceeds the address space", argument, a, b);
  return result;
}

void check_root(site at, int root) {
  if (root < 0 || root >= at.members->n_pes)
    op::bad_argument(as_operation(at), "PE_root = %d: expected 0 .. %d", root, at.members->n_pes - 1);
}

void check_strides(site at, std::ptrdiff_t dst, std::ptrdiff_t sst) {
  if (dst < 1) op::bad_argument(as_operation(at), "dst = %td: expected a stride of at least 1", dst);
  if (sst < 1) op::bad_argument(as_operation(at), "sst = %td: expected a stride of at least 1", sst);
}

int sync(site at) {
  sync_team(*at.members, at.routine);
  return 0;
}

void barrier(site at) {
  op::quiet({&default_context, at.routine});
  sync_team(*at.members, at.routine);
}

// The stores of a quiet are those that the flags of the sync order anyway, so no fence is needed: a PE that
// has seen the flag sees what was stored before it.
void barrier_all(const char* routine) {
  if (current_world == nullptr) [[unlikely]] op::bad_pe({&default_context, routine}, 0);
  sync_team(current_world->team_world, routine);
}

void sync_all(const char* routine) { barrier_all(routine); }

}  // namespace oshen::coll
