// What the inline paths leave aside: peers beyond the near window of a context. One function for each kind of
// operation, with the type erased. It reports a PE that does not exist and a library that is not initialised, finds PEs
// of this node whose team follows no rule, and hands the rest over to a transport (op/remote.hpp). Under OSHEN_CHECK
// everything comes here, and addresses are looked at closely.
#pragma once

#include "op/call_site.hpp"
#include "transport/atomic.hpp"

namespace oshen::op {

// Where a PE of the context's team is. Bad numbers end the job.
struct whereabouts {
  bool is_near;
  peer near;     // only then
  int world_pe;
};
whereabouts find(call_site at, int pe);

enum class pace : std::uint8_t { blocking, non_blocking };

[[gnu::cold]] void put_elsewhere(call_site at, void* dest, const void* source, std::size_t bytes, int pe, pace p);
[[gnu::cold]] void get_elsewhere(call_site at, void* dest, const void* source, std::size_t bytes, int pe, pace p);

// `blocks` blocks of `bytes`, so many bytes apart.
struct apart {
  std::ptrdiff_t dest;
  std::ptrdiff_t source;
};
[[gnu::cold]] void put_blocks_elsewhere(call_site at, void* dest, const void* source, apart steps, std::size_t bytes,
                                        std::size_t blocks, int pe);
[[gnu::cold]] void get_blocks_elsewhere(call_site at, void* dest, const void* source, apart steps, std::size_t bytes,
                                        std::size_t blocks, int pe);

// Returns the value before if `what.fetches`.
[[gnu::cold]] std::uint64_t change_elsewhere(call_site at, const char* argument, const void* object,
                                             transport::change what, int pe);

[[gnu::cold]] void put_signal_elsewhere(call_site at, void* dest, const void* source, std::size_t bytes,
                                        std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe);

[[gnu::cold]] void fence_elsewhere(call_site at);
[[gnu::cold]] void quiet_elsewhere(call_site at);

}  // namespace oshen::op
