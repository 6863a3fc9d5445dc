// Small operations of a session (SHMEM_CTX_SESSION_BATCH) travel packed. A channel collects them in one pack for each
// target. The target applies the operations of a pack in order, and its one reply acknowledges all of them
// (design/several-nodes.md, "Sessions").
//
// A record is a word, followed by the operand, which is padded to words. The word holds the offset in the target's
// slice, the operation (`fetch` stands for a put), and the number of bytes of the operand.
#pragma once

#include "os/mutex.hpp"
#include "transport/am_packet.hpp"

namespace oshen::transport {

inline constexpr std::size_t pack_bytes = 4096;        // with the head
inline constexpr std::size_t most_packed_bytes = 256;  // of one put
inline constexpr int max_open_packs = 1024;            // of one channel
inline constexpr std::uint64_t pack_age_ns = 1000000;  // progress sends older packs

struct pack {
  pack* next_free;
  int pe;
  int index;            // in packer::open
  std::uint32_t epoch;  // of channel::requests, from the first operation to the reply
  std::uint32_t used;   // bytes
  std::uint64_t opened_ns;
  alignas(8) char buffer[pack_bytes];
};

// The packs of one channel. All members except `next` are guarded by `lock`; `next` by the lock of the endpoint's list.
struct packer {
  os::mutex lock;
  struct channel* owner = nullptr;
  packer* next = nullptr;
  int n_open = 0;
  int n_buffers = 0;  // open or free
  pack* free_packs = nullptr;
  pack** of_pe = nullptr;  // the open pack of each PE, or null
  pack* open[max_open_packs] = {};
};

// Null: no memory.
packer* make_packer(int n_pes);
void drop_packer(packer* p);  // with the packs that are still open

// The open or a new pack for a PE; null: no memory, or all buffers are in use (`n_buffers`).
pack* take_pack(packer& p, int pe);
// Removes an open pack. Its buffer stays with the packer, or belongs to the caller.
void recycle_pack(packer& p, pack& b);
void give_away_pack(packer& p, pack& b);
void take_back_pack(packer& p, pack& b);

constexpr std::size_t record_bytes(std::size_t operand) { return 8 + (operand + 7) / 8 * 8; }
// The pack has room for the record.
void append_record(pack& b, operation op, std::uint64_t at, const void* operand, std::size_t bytes);

// On the target: applies the records behind the head. False: one of them is malformed; it and later ones are ignored.
bool apply_records(char* slice, std::size_t slice_bytes, const char* message, std::size_t n);

}  // namespace oshen::transport
