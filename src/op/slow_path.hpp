// The out-of-line part of every operation, for peers outside the near range of a context. There is one function for
// each kind of operation, with the type erased. It reports invalid PEs and an uninitialised library, finds PEs of this
// node that the near range does not cover, and passes all other operations to the transport (op/remote.hpp). Under
// OSHEN_CHECK all operations come here, and addresses are checked thoroughly.
#pragma once

#include "op/call_site.hpp"
#include "transport/atomic.hpp"
#include "transport/atomic_calls.hpp"

namespace oshen::op {

// The location of a PE of the context's team. An invalid number ends the job.
struct peer_location {
  bool is_near;
  near_peer mapped;  // valid only if is_near
  int world_pe;
};
peer_location locate(call_site at, int pe);

enum class completion_mode : std::uint8_t { blocking, non_blocking };

void put_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe);
void put_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe);
void get_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe);
void get_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, int pe);

// Blocks of equal size at constant distances, all in bytes.
struct block_layout {
  std::ptrdiff_t dest_step;
  std::ptrdiff_t source_step;
  std::size_t block_bytes;
  std::size_t n_blocks;
};
[[gnu::cold]] void put_blocks_slow(call_site at, void* dest, const void* source, const block_layout& layout, int pe);
[[gnu::cold]] void get_blocks_slow(call_site at, void* dest, const void* source, const block_layout& layout, int pe);

// Atomic operations of the program on an object of 4 or 8 bytes of PE `pe` (op/atomic_slow.cpp). `Word` is uint32_t or
// uint64_t, so that there are few instances. The object's agent executes them. All but the first return the value
// before.
template <class Word>
void change_slow(call_site at, const void* object, Word value, int pe, transport::operation op);
template <class Word>
Word fetch_slow(call_site at, const void* object, Word value, int pe, transport::operation op);
template <class Word>
Word compare_swap_slow(call_site at, const void* object, Word value, Word compare, int pe);
// `*fetch` holds the value before when the next quiet returns.
template <class Word>
void fetch_nbi_slow(call_site at, void* fetch, const void* object, transport::atomic_operands with, int pe,
                    transport::operation op);

// An addition without a result in a session that packs; it begins with the short way into an open pack.
void add_in_session(call_site at, const void* object, transport::width width, std::uint64_t value, int pe);

// The same by a CPU always, for objects of the library.
[[gnu::cold]] std::uint64_t cpu_atomic(call_site at, const char* argument, const void* object,
                                       const transport::atomic_op& op, int pe);
// The same by the card, on PEs of this node too.
[[gnu::cold, gnu::noinline]] std::uint64_t card_atomic(call_site at, const char* argument, const void* object,
                                                       transport::atomic_op op, int pe);

struct signal_update {
  std::uint64_t* sig_addr;
  std::uint64_t signal;
  int sig_op;
};
void put_signal_slow(call_site at, void* dest, const void* source, std::size_t bytes, const signal_update& update,
                     int pe);
void put_signal_nbi_slow(call_site at, void* dest, const void* source, std::size_t bytes, const signal_update& update,
                         int pe);

// The signal of a near PE, if CPUs may not update it. The PE is given by the distance to its slice, and the arguments
// fit into registers, so that operations by CPUs keep nothing for this call.
[[gnu::cold]] void update_signal_slow(call_site at, std::uint64_t* sig_addr, std::uint64_t signal, int sig_op,
                                      std::ptrdiff_t peer_offset);

void fence_slow(call_site at);
void quiet_slow(call_site at);
[[gnu::cold]] void quiet_local_slow(call_site at);

}  // namespace oshen::op
