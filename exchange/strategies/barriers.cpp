// Runs that end with the barrier of the plan: nobody puts into a slot that has not been unpacked.
#include "../parcels.hpp"

namespace oshen::exchange {

// Bulk barrier: pack and put everything, one barrier over the group, unpack everything.
//
// The simplest, and on a node with one PE per core a good one. Two slots make one barrier enough: a PE in run n + 1 has
// passed the barrier of run n, which its peers entered after they had unpacked run n - 1, the last user of that slot.
// Memory: 2 slots per parcel at the receiver. Messages: one put per peer (none where the receiver is mapped),
// ceil(log2 P) words for the barrier. Copies of a byte: 2 (pack, unpack); by puts 3.
constinit const strategy bulk_barrier = {
    .name = "bulk_barrier", .about = "pack and put everything, one barrier over the group, unpack everything",
    .slots = 2,
    .announces = announcing::barrier,
    .ends = ending::barrier,
    .send = deliver, .take = unpack_slot,
};

// HybridBarrier (Tang et al. 2015, 4.2): a word per parcel says that it has arrived, a barrier over the group after
// unpacking that the slots may be written again.
//
// The barrier of the paper was MPI's, because OpenSHMEM had none for irregular groups; ours is made of words
// (plan_barrier.hpp). Memory: 1 slot per parcel at the receiver. Messages: a put (none where mapped) and a word per
// peer, ceil(log2 P) words for the barrier. Copies of a byte: 2 (pack, unpack); by puts 3.
constinit const strategy hybrid_barrier = {
    .name = "hybrid_barrier", .about = "pack and put, a word per parcel, unpack in any order, a barrier at the end",
    .slots = 1,
    .ends = ending::barrier,
    .send = send_packed, .take = unpack_slot,
};

// NoPack (Tang et al. 2015, 4.3): every contiguous run of `in` is put by itself, to its place in the receiver's slot.
//
// On the wire elements lie as in the sender's memory, so that runs are as long as they can be; the receiver transposes.
// Memory and words: as hybrid_barrier. Messages: a blocking put per run. Copies of a byte: 2 (put, unpack), in small
// pieces.
constinit const strategy nopack = {
    .name = "nopack", .about = "no packing: a blocking put for every contiguous run, a barrier at the end",
    .slots = 1,
    .needs = need_boxes,
    .order_of_sender = true,
    .ends = ending::barrier,
    .send = send_rows, .take = unpack_slot,
};

// NoPack with puts that do not block (Tang et al. 2015, 4.3 and 5.3: there a setting of Cray's library, today
// shmem_put_nbi): as nopack, but the puts of all peers are under way together and completed by one quiet.
constinit const strategy nopack_nbi = {
    .name = "nopack_nbi", .about = "no packing: non-blocking puts for every run, one quiet, a barrier at the end",
    .slots = 1,
    .needs = need_boxes,
    .order_of_sender = true,
    .announces = announcing::together,
    .ends = ending::barrier,
    .send = deliver_rows_nbi, .take = unpack_slot,
};

}  // namespace oshen::exchange
