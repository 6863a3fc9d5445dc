// Turns handles into call sites for the generated entry points (spec/calls.def), and does nothing else.
#pragma once

#include <shmem.h>
#include <shmemx.h>

#include <complex>

#include "api/calls.hpp"
#include "api/counter.hpp"
#include "coll/api/collectives.hpp"
#include "coll/api/extensions.hpp"
#include "coll/api/float16.hpp"
#include "coll/api/nonblocking.hpp"
#include "op/amo.hpp"
#include "op/lock.hpp"
#include "op/order.hpp"
#include "op/real_add.hpp"
#include "op/rma.hpp"
#include "op/session.hpp"
#include "op/signal.hpp"
#include "op/strided_nbi.hpp"
#include "op/subarray.hpp"
#include "op/wait_many.hpp"
#include "world/current.hpp"

namespace oshen {

namespace async = coll::async;

[[noreturn, gnu::cold]] void bad_context(const char* routine, shmem_ctx_t ctx);
[[noreturn, gnu::cold]] void bad_team(const char* routine, shmem_team_t team);

[[gnu::always_inline]] inline op::call_site in_default(const char* routine) {
  return op::site_of(default_context, routine);
}

[[gnu::always_inline]] inline op::call_site in(shmem_ctx_t ctx, const char* routine) {
  if (ctx == SHMEM_CTX_DEFAULT) return in_default(routine);
  context* const others = private_contexts;
  if (others == nullptr) [[unlikely]]
    return in_default(routine);  // the range check of the operation reports the error
  const context* c = context_table::find_in(others, reinterpret_cast<std::uintptr_t>(ctx));
  if (c == nullptr) [[unlikely]]
    bad_context(routine, ctx);
  return {c, routine};
}

// For routines that do nothing on SHMEM_CTX_INVALID.
[[gnu::always_inline]] inline op::call_site in_or_none(shmem_ctx_t ctx, const char* routine) {
  if (ctx == SHMEM_CTX_INVALID) return {nullptr, routine};
  return in(ctx, routine);
}

// The team of a handle. An invalid handle ends the job with an error.
coll::team_call of_team(shmem_team_t team, const char* routine);

// The active set PE_start, PE_start + 2^logPE_stride, ... of the world. pSync is checked but not used, because the
// library has its own memory to synchronise: the array keeps its initial values.
coll::team_call active_set(const char* routine, int PE_start, int logPE_stride, int PE_size, const long* pSync);

// A void pointer as a pointer to elements of `bits` bits.
template <int bits>
inline typename op::word_of_bits<bits>::type* words(void* p) {
  return static_cast<typename op::word_of_bits<bits>::type*>(p);
}
template <int bits>
inline const typename op::word_of_bits<bits>::type* words(const void* p) {
  return static_cast<const typename op::word_of_bits<bits>::type*>(p);
}

}  // namespace oshen
