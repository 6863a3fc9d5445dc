#include "coll/protocol/small_allgather.hpp"
#include "coll/run/run_inlined.hpp"
#include "op/call_site.hpp"

namespace oshen::coll {
namespace {

// ---- checks ---------------------------------------------------------------------------------------------------

// Converts an address in this PE's slice to the address of the same object in the program.
const char* as_called(const collective_call& call, const char* address) {
  const context& c = call.members.ctx;
  const bool in_heap = reinterpret_cast<std::uintptr_t>(address) - c.heap_start < c.heap_bytes;
  return address == nullptr || in_heap ? address : address - c.data_to_slice;
}

bool works_in_place(kind k) {
  return k == kind::reduce || k == kind::inscan || k == kind::exscan || k == kind::reduce_to_root ||
         k == kind::broadcast;
}

// Standard collectives have one object on all PEs of the team.
void check_block(kind k, const collective_call& call, const char* argument, const char* address, std::size_t bytes) {
  if (bytes == 0) return;
  const char* const object = as_called(call, address);
  op::check_symmetric(site_of(call), argument, object, bytes);
  if (k <= kind::exscan) op::check_team_has(site_of(call), argument, object);
}

void check_overlap(kind k, const collective_call& call) {
  if (call.dest_bytes == 0 || call.source_bytes == 0 || call.in_place) return;
  if (call.dest == call.source && works_in_place(k)) return;
  const bool apart = call.dest + call.dest_bytes <= call.source || call.source + call.source_bytes <= call.dest;
  if (!apart)
    op::bad_argument(site_of(call), "dest = %p (%zu bytes) and source = %p (%zu bytes) overlap%s",
                     static_cast<const void*>(as_called(call, call.dest)), call.dest_bytes,
                     static_cast<const void*>(as_called(call, call.source)), call.source_bytes,
                     works_in_place(k) ? ": expected the same address or none in common" : "");
}

// The call record is read only by the checked sync and for the message.
void record_dest(kind k, const collective_call& call) {
  record_of(call.members, call.members.my_pe).signature ^= signature_of_dest(k, call);
}

// Checks that the dest of a collect has room for all contributions. Their counts must have been exchanged.
void check_room(const collective_call& call) {
  const team& t = call.members;
  std::size_t elements = 0, bytes = 0;
  bool fits = true;
  for (int pe = 0; pe < t.n_pes; ++pe) fits = !__builtin_add_overflow(elements, count_of(call, pe), &elements) && fits;
  if (!fits || __builtin_mul_overflow(elements, call.element_bytes, &bytes))
    op::bad_argument(site_of(call), "nelems: the sum over the team exceeds the address space");
  static_cast<void>(op::check_symmetric(site_of(call), "dest", as_called(call, call.dest), bytes));
}

}  // namespace

// Standard collectives need the same symmetric object as dest on all PEs. Its offset in the slice is the same for all
// of them, also in jobs that span nodes.
std::uint64_t signature_of_dest(kind k, const collective_call& call) {
  if (k > kind::exscan || call.dest == nullptr) return 0;
  const world& w = *call.members.home;
  const auto offset = static_cast<std::uint64_t>(call.dest - w.segment.slice(w.near.mine));
  return (offset + 1) * 0x9e3779b97f4a7c15u;
}

void check_buffers(kind k, const collective_call& call) {
  check_block(k, call, "dest", call.dest, call.dest_bytes);
  check_block(k, call, "source", call.source, call.source_bytes);
  check_overlap(k, call);
}

void check_call(kind k, const collective_call& call) {
  check_buffers(k, call);
  record_dest(k, call);
  sync_team(call.members, call.routine);
}

// The largest contribution determines the algorithm of a collect, so the PEs exchange their counts first.
void run_collect(collective_call& call) {
  const std::uint64_t number = call.members.collectives;
  const std::size_t bytes = exchange_counts(call);
  note_needs_all(call.members, number);
  call.entered = true;
  if (bytes == 0) return;
  check_room(call);
  algorithm_for(call.members, kind::collect, size_class(bytes)).run(call);
}

void run(kind k, collective_call& call) { run_inlined(k, call); }

}  // namespace oshen::coll
