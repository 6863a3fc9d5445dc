// What the generated entry points (spec/calls.def) call: from handles and names to sites. No policy.
#pragma once

#include <shmem.h>
#include <shmemx.h>

#include <complex>

#include "api/calls.hpp"
#include "coll/calls/nonblocking.hpp"
#include "coll/calls/collectives.hpp"
#include "coll/calls/extensions.hpp"
#include "op/amo.hpp"
#include "op/lock.hpp"
#include "op/order.hpp"
#include "op/rma.hpp"
#include "op/session.hpp"
#include "op/signal.hpp"
#include "op/strided.hpp"
#include "op/wait_many.hpp"
#include "world/current.hpp"

namespace oshen {

namespace async = coll::async;

[[noreturn, gnu::cold]] void bad_context(const char* routine, shmem_ctx_t ctx);
[[noreturn, gnu::cold]] void bad_team(const char* routine, shmem_team_t team);

[[gnu::always_inline]] inline op::call_site in_default(const char* routine) { return {&default_context, routine}; }

[[gnu::always_inline]] inline op::call_site in(shmem_ctx_t ctx, const char* routine) {
  if (ctx == SHMEM_CTX_DEFAULT) return in_default(routine);
  context* const others = private_contexts;
  if (others == nullptr) [[unlikely]] return in_default(routine);  // its range check reports it
  const context* c = context_table::find_in(others, reinterpret_cast<std::uintptr_t>(ctx));
  if (c == nullptr) [[unlikely]] bad_context(routine, ctx);
  return {c, routine};
}

// For the calls in which SHMEM_CTX_INVALID means "do nothing".
[[gnu::always_inline]] inline op::call_site in_or_none(shmem_ctx_t ctx, const char* routine) {
  if (ctx == SHMEM_CTX_INVALID) return {nullptr, routine};
  return in(ctx, routine);
}

// The team of a handle; a line and the end of the job when it is none.
coll::team_call of_team(shmem_team_t team, const char* routine);

// The PEs PE_start, PE_start + 2^logPE_stride, ... of the world. pSync is only looked at: the library has
// its own place to synchronise, so the array keeps its initial values.
coll::team_call active_set(const char* routine, int PE_start, int logPE_stride, int PE_size, const long* pSync);

// Elements of a given width behind a void pointer.
template <int bits>
inline typename op::word_of_bits<bits>::type* words(void* p) {
  return static_cast<typename op::word_of_bits<bits>::type*>(p);
}
template <int bits>
inline const typename op::word_of_bits<bits>::type* words(const void* p) {
  return static_cast<const typename op::word_of_bits<bits>::type*>(p);
}

}  // namespace oshen
