// The out-of-line part of every operation, for peers outside the near range of a context. There is one function for
// each kind of operation, with the type erased. It reports invalid PEs and an uninitialised library, finds PEs of this
// node that the near range does not cover, and passes all other operations to the transport (op/remote.hpp). Under
// OSHEN_CHECK all operations come here, and addresses are checked thoroughly.
#pragma once

#include "op/call_site.hpp"
#include "transport/atomic.hpp"

namespace oshen::op {

// The location of a PE of the context's team. An invalid number ends the job.
struct peer_location {
  bool is_near;
  peer near_peer;  // valid only if is_near
  int world_pe;
};
peer_location locate(call_site at, int pe);

enum class completion_mode : std::uint8_t { blocking, non_blocking };

[[gnu::cold]] void put_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe, completion_mode m);
[[gnu::cold]] void get_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe, completion_mode m);

// The same for a non-blocking get and for an addition without a result, whose value is in the low bytes of `value`.
// They begin with the short way into an open pack of a session, so they are not cold.
void get_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe);
void add_slow(call_site at, const void* object, transport::width width, std::uint64_t value, int pe);

// Blocks of equal size at constant distances, all in bytes.
struct block_layout {
  std::ptrdiff_t dest_step;
  std::ptrdiff_t source_step;
  std::size_t block_bytes;
  std::size_t n_blocks;
};
[[gnu::cold]] void put_blocks_slow(call_site at, void* dest, const void* source, const block_layout& layout, int pe);
[[gnu::cold]] void get_blocks_slow(call_site at, void* dest, const void* source, const block_layout& layout, int pe);

struct named_object {
  const char* argument;
  const void* address;
};
// Returns the value before, if `op.fetches`.
[[gnu::cold]] std::uint64_t atomic_slow(call_site at, const char* argument, const void* object, transport::atomic_op op,
                                        int pe);

// `*fetch`, of the operand's width, holds the value before when the next quiet returns.
[[gnu::cold]] void atomic_nbi_slow(call_site at, void* fetch, named_object object, transport::atomic_op op, int pe);

struct signal_update {
  std::uint64_t* sig_addr;
  std::uint64_t signal;
  int sig_op;
};
[[gnu::cold]] void put_signal_slow(call_site at, void* dest, const void* source, std::size_t bytes,
                                   const signal_update& update, int pe);
[[gnu::cold]] void put_signal_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes,
                                       const signal_update& update, int pe);

[[gnu::cold]] void fence_slow(call_site at);
[[gnu::cold]] void quiet_slow(call_site at);
[[gnu::cold]] void quiet_local_slow(call_site at);

}  // namespace oshen::op
