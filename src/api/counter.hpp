// Counters (shmemx_ct_create): a counter is a symmetric signal, to which counting puts and gets add 1.
#pragma once

#include <shmemx.h>

#include <cstddef>
#include <cstdint>

#include "op/amo.hpp"

namespace oshen::api {

void ct_create(const char* routine, shmemx_ct_t* ct);
void ct_free(const char* routine, shmemx_ct_t* ct);

inline std::uint64_t* signal_of(shmemx_ct_t ct) { return reinterpret_cast<std::uint64_t*>(ct); }

struct counted_get {
  shmemx_ct_t ct;
  void* dest;
  const void* source;
  std::size_t nelems;
};
inline void get_counted(op::call_site at, const counted_get& a, int pe) {
  op::get(at, static_cast<std::uint8_t*>(a.dest), static_cast<const std::uint8_t*>(a.source), a.nelems, pe);
  op::atomic_inc(at, signal_of(a.ct), pe);
}

}  // namespace oshen::api
