// run() of run/run.hpp as an inline function, for callers in which the kind of the collective is a constant.
#pragma once

#include "coll/call/signature.hpp"
#include "coll/run/run.hpp"
#include "coll/select/selection.hpp"
#include "world/world.hpp"

namespace oshen::coll {

// The checks of OSHEN_CHECK: those of check_buffers(), and that all PEs of the team make the same call. The sync
// compares the calls.
[[gnu::cold]] void check_call(kind k, const collective_call& call);

// Runs a collect, which has been counted and signed.
void run_collect(collective_call& call);

// The result of a collective with elements depends on data of every PE.
constexpr bool needs_all(kind k) {
  return k == kind::fcollect || k == kind::alltoall || k == kind::alltoalls || k == kind::reduce;
}

[[gnu::always_inline]] inline void run_inlined(kind k, collective_call& call) {
  team& t = call.members;
  // There is nothing to do on any PE, and dest and source may be null.
  if (call.elements == 0 && k != kind::collect && !sizes_differ(k)) return;
  begin_collective(t, call.routine);
  if (needs_all(k)) note_needs_all(t, t.collectives);
  sign(k, call);
  if (t.home->config.check) [[unlikely]]
    check_call(k, call);
  if (k == kind::collect) return run_collect(call);
  call.blocks_differ = sizes_differ(k);
  const std::size_t bytes = call.blocks_differ ? usual_bytes : call.bytes();
  algorithm_for(t, k, size_class(bytes)).run(call);
}

}  // namespace oshen::coll
