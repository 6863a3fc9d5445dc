// Strategies whose runs end with the barrier of the plan, so that no PE puts into a slot that has not been unpacked.
#include "exchange/run/parcels.hpp"
#include "exchange/strategies/table.hpp"

namespace oshen::exchange {

// bulk_barrier: pack and put everything, one barrier over the group, unpack everything.
//
// The simplest strategy, and a good one on a node with one PE per core. With two slots one barrier is enough: a PE in
// run n + 1 has passed the barrier of run n. Its peers entered that barrier after they had unpacked run n - 1, the last
// user of the slot. Memory: 2 slots per parcel at the receiver. Messages: one put per peer (none if the receiver is
// mapped) and ceil(log2 P) flags for the barrier. Copies of a byte: 2 (pack, unpack); with puts 3.
constinit const strategy bulk_barrier = {
    .name = "bulk_barrier",
    .about = "pack and put everything, one barrier over the group, unpack everything",
    .slots = 2,
    .notifies_by = notification::barrier,
    .completes_with = completion::barrier,
    .send = put_packed,
    .receive = unpack_slot,
};

// HybridBarrier (Tang et al. 2015, 4.2): a flag per parcel reports its arrival, and a barrier over the group after
// unpacking frees the slots.
//
// The barrier of the paper was MPI's, because OpenSHMEM had none for irregular groups; this one uses flags
// (plan_barrier.hpp). Memory: 1 slot per parcel at the receiver. Messages: a put (none if mapped) and a flag per peer,
// and ceil(log2 P) flags for the barrier. Copies of a byte: 2 (pack, unpack); with puts 3.
constinit const strategy hybrid_barrier = {
    .name = "hybrid_barrier",
    .about = "pack and put, a flag per parcel, unpack in any order, a barrier at the end",
    .slots = 1,
    .completes_with = completion::barrier,
    .send = send_packed,
    .receive = unpack_slot,
};

// NoPack (Tang et al. 2015, 4.3): every contiguous block of `in` is put separately into the receiver's slot.
//
// On the wire, elements are in the order of the sender's memory, so that blocks are as long as possible; the receiver
// transposes. Memory and flags: as hybrid_barrier. Messages: a blocking put per block. Copies of a byte: 2 (put,
// unpack), in small blocks.
constinit const strategy nopack = {
    .name = "nopack",
    .about = "no packing: a blocking put for every contiguous block, a barrier at the end",
    .slots = 1,
    .needs = need_boxes,
    .sender_order = true,
    .completes_with = completion::barrier,
    .send = send_blocks,
    .receive = unpack_slot,
};

// NoPack with non-blocking puts (Tang et al. 2015, 4.3 and 5.3, where it is an option of Cray's library; today
// shmem_put_nbi): as nopack, but the puts to all peers are in flight together, and one quiet completes them.
constinit const strategy nopack_nbi = {
    .name = "nopack_nbi",
    .about = "no packing: a non-blocking put for every block, one quiet, a barrier at the end",
    .slots = 1,
    .needs = need_boxes,
    .sender_order = true,
    .notifies_by = notification::flags_after_quiet,
    .completes_with = completion::barrier,
    .send = put_blocks_nbi,
    .receive = unpack_slot,
};

}  // namespace oshen::exchange
