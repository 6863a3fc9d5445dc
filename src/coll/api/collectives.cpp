#include "coll/api/collectives.hpp"

#include "coll/run/run_inlined.hpp"
#include "op/order.hpp"
#include "world/current.hpp"

namespace oshen::coll {
namespace {

[[gnu::always_inline]] inline std::size_t multiply(team_call at, const char* argument, std::size_t a, std::size_t b) {
  std::size_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) [[unlikely]]
    op::bad_argument(site_of(at), "%s: %zu times %zu exceeds the address space", argument, a, b);
  return result;
}

[[gnu::noinline]] void set_unusual_buffers(collective_call& call, team_call at, void* dest, const void* source) {
  const op::call_site site = site_of(at);
  if (call.dest_bytes != 0)
    call.dest = byte_offset(static_cast<char*>(dest), op::own_slice(site, "dest", dest, call.dest_bytes));
  if (call.source_bytes != 0)
    call.source =
        byte_offset(static_cast<const char*>(source), op::own_slice(site, "source", source, call.source_bytes));
  // A PE that contributes nothing to a collect still receives, and needs the address of dest.
  if (call.dest_bytes == 0 && dest != nullptr && call.dest == nullptr)
    call.dest = byte_offset(static_cast<char*>(dest), op::own_slice(site, "dest", dest, 1));
}

// Usually both lie in the heap, where an object has the same address here as in this PE's slice.
[[gnu::always_inline]] inline void find_buffers(collective_call& call, team_call at, void* dest, const void* source,
                                                std::size_t dest_bytes, std::size_t source_bytes) {
  const context& c = at.members->ctx;
  call.dest_bytes = dest_bytes;
  call.source_bytes = source_bytes;
  const auto in_heap = [&](const void* address, std::size_t bytes) {
    return op::fits(reinterpret_cast<std::uintptr_t>(address) - c.heap_start, bytes, c.heap_bytes);
  };
  if (dest_bytes == 0 || source_bytes == 0 || !in_heap(dest, dest_bytes) || !in_heap(source, source_bytes)) [[unlikely]]
    return set_unusual_buffers(call, at, dest, source);
  call.dest = static_cast<char*>(dest);
  call.source = static_cast<const char*>(source);
}

// A call without buffers, and the bytes of one PE's contribution.
[[gnu::always_inline]] inline collective_call call_on(team_call at, const element_buffers& b) {
  return {.members = *at.members, .routine = at.routine, .elements = b.nelems, .element_bytes = b.element_bytes};
}
[[gnu::always_inline]] inline std::size_t bytes_of(team_call at, const element_buffers& b) {
  return multiply(at, "nelems", b.nelems, b.element_bytes);
}

[[gnu::always_inline]] inline collective_call make_broadcast(team_call at, const element_buffers& b, int root,
                                                             bool root_keeps_dest) {
  check_root(at, root);
  collective_call call = call_on(at, b);
  call.root = root;
  call.root_keeps_dest = root_keeps_dest;
  const std::size_t bytes = bytes_of(at, b);
  find_buffers(call, at, b.dest, b.source, bytes, bytes);
  return call;
}

[[gnu::always_inline]] inline collective_call make_fcollect(team_call at, const element_buffers& b) {
  collective_call call = call_on(at, b);
  const std::size_t bytes = bytes_of(at, b);
  find_buffers(call, at, b.dest, b.source, multiply(at, "nelems", bytes, n_pes(at)), bytes);
  return call;
}

[[gnu::always_inline]] inline collective_call make_alltoall(team_call at, const element_buffers& b) {
  collective_call call = call_on(at, b);
  const std::size_t bytes = multiply(at, "nelems", bytes_of(at, b), n_pes(at));
  find_buffers(call, at, b.dest, b.source, bytes, bytes);
  return call;
}

[[gnu::always_inline]] inline collective_call make_combine(team_call at, const element_buffers& b,
                                                           combine_function combine) {
  collective_call call = call_on(at, b);
  call.combine = combine;
  const std::size_t bytes = bytes_of(at, b);
  find_buffers(call, at, b.dest, b.source, bytes, bytes);
  return call;
}

}  // namespace

int run_broadcast(team_call at, const element_buffers& b, int root, bool root_keeps_dest) {
  collective_call call = make_broadcast(at, b, root, root_keeps_dest);
  run_inlined(kind::broadcast, call);
  return 0;
}

int run_fcollect(team_call at, const element_buffers& b) {
  collective_call call = make_fcollect(at, b);
  run_inlined(kind::fcollect, call);
  return 0;
}

int run_alltoall(team_call at, const element_buffers& b) {
  collective_call call = make_alltoall(at, b);
  run_inlined(kind::alltoall, call);
  return 0;
}

int run_reduce(team_call at, const element_buffers& b, combine_function combine) {
  collective_call call = make_combine(at, b, combine);
  run_inlined(kind::reduce, call);
  return 0;
}

int run_scan(kind k, team_call at, const element_buffers& b, combine_function combine) {
  collective_call call = make_combine(at, b, combine);
  run(k, call);
  return 0;
}

collective_call broadcast_call_of(team_call at, const element_buffers& b, int root) {
  return make_broadcast(at, b, root, false);
}
collective_call fcollect_call_of(team_call at, const element_buffers& b) { return make_fcollect(at, b); }
collective_call alltoall_call_of(team_call at, const element_buffers& b) { return make_alltoall(at, b); }
collective_call combine_call_of(team_call at, const element_buffers& b, combine_function combine) {
  return make_combine(at, b, combine);
}

void set_buffers(collective_call& call, team_call at, void* dest, const void* source, std::size_t dest_bytes,
                 std::size_t source_bytes) {
  find_buffers(call, at, dest, source, dest_bytes, source_bytes);
}

std::size_t product(team_call at, const char* argument, std::size_t a, std::size_t b) {
  return multiply(at, argument, a, b);
}

void check_root(team_call at, int root) {
  if (root < 0 || root >= at.members->n_pes) [[unlikely]]
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
