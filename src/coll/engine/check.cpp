#include "coll/engine/check.hpp"

#include "coll/protocol/counts.hpp"
#include "coll/protocol/signature.hpp"
#include "op/call_site.hpp"

namespace oshen::coll {
namespace {

op::call_site call_of(const task& job) { return {&job.members.ctx, job.routine}; }

// The address that the caller knows of what lies in this PE's slice.
const char* as_called(const task& job, const char* place) {
  const context& c = job.members.ctx;
  const bool in_heap = reinterpret_cast<std::uintptr_t>(place) - c.heap < c.heap_bytes;
  return place == nullptr || in_heap ? place : place - c.data_to_slice;
}

bool works_in_place(kind k) {
  return k == kind::reduce || k == kind::inscan || k == kind::exscan || k == kind::reduce_to_root ||
         k == kind::broadcast;
}

void check_block(const task& job, const char* argument, const char* place, std::size_t bytes) {
  if (bytes != 0) op::look_closer(call_of(job), argument, as_called(job, place), bytes);
}

void check_overlap(kind k, const task& job) {
  if (job.dest_bytes == 0 || job.source_bytes == 0) return;
  if (job.dest == job.source && works_in_place(k)) return;
  const bool apart = job.dest + job.dest_bytes <= job.source || job.source + job.source_bytes <= job.dest;
  if (!apart)
    op::bad_argument(call_of(job), "dest = %p (%zu bytes) and source = %p (%zu bytes) overlap%s",
                     static_cast<const void*>(as_called(job, job.dest)), job.dest_bytes,
                     static_cast<const void*>(as_called(job, job.source)), job.source_bytes,
                     works_in_place(k) ? ": expected the same address or none in common" : "");
}

}  // namespace

void check_call(kind k, const task& job) {
  check_block(job, "dest", job.dest, job.dest_bytes);
  check_block(job, "source", job.source, job.source_bytes);
  check_overlap(k, job);
  compare_calls(job);
}

void check_room(const task& job) {
  const team& t = job.members;
  std::size_t elements = 0, bytes = 0;
  bool fits = true;
  for (int pe = 0; pe < t.n_pes; ++pe) fits = !__builtin_add_overflow(elements, count_of(job, pe), &elements) && fits;
  if (!fits || __builtin_mul_overflow(elements, job.element_bytes, &bytes))
    op::bad_argument(call_of(job), "nelems: the sum over the team exceeds the address space");
  static_cast<void>(op::look_closer(call_of(job), "dest", as_called(job, job.dest), bytes));
}

}  // namespace oshen::coll
