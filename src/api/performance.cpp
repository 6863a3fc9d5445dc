// Performance variables (shmemx_pvar_read).
#include "world/performance.hpp"

#include <stdio.h>

#include "allocation/symmetric_heap.hpp"
#include "api/handle.hpp"
#include "op/order.hpp"

namespace oshen::api {
namespace {

// In the order of the constants SHMEMX_PVAR_....
constexpr const char* names[] = {
    "put.operations",  "put.bytes",         "get.operations",  "get.bytes",  "signal.operations",
    "signal.bytes",    "atomic.operations", "pack.operations", "long_waits", "sleeps",
    "polls",           "retries",           "heap.bytes",      "heap.used",  "heap.largest_free",
    "heap.high_water", "heap.allocations"};
static_assert(sizeof names / sizeof *names == SHMEMX_PVAR_HEAP_ALLOCATIONS + 1);

void check_variable(const char* routine, int pvar) {
  if (pvar < 0 || pvar > SHMEMX_PVAR_HEAP_ALLOCATIONS)
    op::bad_argument(in_default(routine), "pvar = %d: expected 0 .. %d", pvar, SHMEMX_PVAR_HEAP_ALLOCATIONS);
}

// The number of one PE, for variables up to SHMEMX_PVAR_PACK_OPERATIONS.
std::uint64_t number_of(const peer_counts& to, int pvar) {
  constexpr int with_bytes = SHMEMX_PVAR_ATOMIC_OPERATIONS / 2;
  if (pvar >= SHMEMX_PVAR_ATOMIC_OPERATIONS) return to.n_operations[pvar - with_bytes].load(std::memory_order_relaxed);
  return (pvar % 2 == 0 ? to.n_operations : to.bytes)[pvar / 2].load(std::memory_order_relaxed);
}

std::uint64_t counted_for(const world& w, int pvar, int pe) {
  if (w.performance_here == nullptr) return 0;
  const performance& p = *w.performance_here;
  switch (pvar) {
    case SHMEMX_PVAR_LONG_WAITS: return p.waits.load(std::memory_order_relaxed);
    case SHMEMX_PVAR_SLEEPS: return p.sleeps.load(std::memory_order_relaxed);
    case SHMEMX_PVAR_RETRIES: return p.retries.load(std::memory_order_relaxed);
    case SHMEMX_PVAR_POLLS: return polls_counted(w);
    default: break;
  }
  if (pe != SHMEMX_PVAR_ALL_PES) return number_of(p.counts_of[pe], pvar);
  std::uint64_t sum = 0;
  for (int i = 0; i < w.n_pes; ++i) sum += number_of(p.counts_of[i], pvar);
  return sum;
}

}  // namespace

int pvar_num(const char*) { return SHMEMX_PVAR_HEAP_ALLOCATIONS + 1; }

void pvar_get_name(const char* routine, int pvar, char* name) {
  check_variable(routine, pvar);
  snprintf(name, SHMEM_MAX_NAME_LEN, "%s", names[pvar]);
}

int pvar_start(const char* routine) {
  world& w = require_world(routine);
  stop_counting(w);
  op::quiet(in_default(routine));
  w.contexts.each([routine](context& c) { op::quiet({&c, routine}); });
  return start_counting(w) ? 0 : 1;
}

void pvar_stop(const char* routine) {
  world& w = require_world(routine);
  op::quiet(in_default(routine));
  w.contexts.each([routine](context& c) { op::quiet({&c, routine}); });
  stop_counting(w);
}

std::uint64_t pvar_read(const char* routine, int pvar, int pe) {
  const world& w = require_world(routine);
  check_variable(routine, pvar);
  if (pe != SHMEMX_PVAR_ALL_PES && (pe < 0 || pe >= w.n_pes)) op::bad_pe(in_default(routine), pe);
  const heap::usage u = w.heap.report();
  switch (pvar) {
    case SHMEMX_PVAR_HEAP_BYTES: return u.bytes;
    case SHMEMX_PVAR_HEAP_USED: return u.used;
    case SHMEMX_PVAR_HEAP_LARGEST_FREE: return u.largest_free;
    case SHMEMX_PVAR_HEAP_HIGH_WATER: return u.high_water;
    case SHMEMX_PVAR_HEAP_ALLOCATIONS: return u.allocations;
    default: return counted_for(w, pvar, pe);
  }
}

}  // namespace oshen::api
