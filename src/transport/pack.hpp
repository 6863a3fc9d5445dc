// Small operations of a session (SHMEM_CTX_SESSION_BATCH) travel packed. A channel collects them in one pack for each
// target. The target applies the operations of a pack in order. Its one reply acknowledges all of them, and carries the
// values that they fetched (design/sessions.md).
//
// A record is a word, followed by the operand, which is padded to words. The word describes a `packed_op`. The operand
// of a put is its bytes, and that of an atomic is its value. The operand of `compare_swap` also contains the compared
// value; a get has none. The word of a small addition carries the value in place of the length, so it needs no operand.
// The reply is a head, followed by the fetched values in the order of their records, each padded to words.
#pragma once

#include <string.h>

#include "os/mutex.hpp"
#include "transport/am_packet.hpp"

namespace oshen::transport {

inline constexpr std::size_t pack_bytes = 4096;        // with the head; also the longest reply to a short pack
inline constexpr std::size_t long_pack_bytes = 32768;  // if the transport takes such messages
// The longest reply to a long pack.
inline constexpr std::size_t long_reply_bytes = 16384;
inline constexpr int max_long_packs = 64;              // of one channel; further packs are short
inline constexpr std::size_t most_packed_bytes = 256;  // of one put or get
inline constexpr int max_open_packs = 1024;            // of one channel
inline constexpr std::uint64_t pack_age_ns = 1000000;  // progress sends older packs

constexpr std::size_t whole_words(std::size_t n) { return (n + 7) / 8 * 8; }

// The values of small additions.
inline constexpr int small_value_bits = 11;
inline constexpr std::int64_t max_small_value = (1 << (small_value_bits - 1)) - 1,
                              min_small_value = -max_small_value - 1;

// `operation::fetch` is a get if it fetches, and a put otherwise.
struct packed_op {
  std::uint64_t at;  // offset in the target's slice
  operation op;
  bool fetches;  // the reply carries the value before
  std::size_t bytes;
  bool is_small = false;         // an addition of `small_value`
  std::int16_t small_value = 0;  // of both widths, with its sign

  constexpr std::size_t operand_bytes() const {
    if (is_small || (op == operation::fetch && fetches)) return 0;
    return op == operation::compare_swap ? 2 * bytes : bytes;
  }
  constexpr std::size_t record_bytes() const { return 8 + whole_words(operand_bytes()); }
  constexpr std::size_t value_bytes() const { return fetches ? whole_words(bytes) : 0; }
};

// A changing atomic operation; an addition is small if its value, which has the width's sign, is.
inline packed_op packed_change(std::uint64_t at, operation op, width bytes, bool fetches, std::uint64_t value) {
  packed_op what{.at = at, .op = op, .fetches = fetches, .bytes = static_cast<std::size_t>(bytes)};
  const std::int64_t number =
      bytes == width::four ? std::int64_t{static_cast<std::int32_t>(value)} : static_cast<std::int64_t>(value);
  what.is_small = op == operation::add && number >= min_small_value && number <= max_small_value;
  if (what.is_small) what.small_value = static_cast<std::int16_t>(number);
  return what;
}

// Where the values of a reply go, in the order of their records. Made for the first record of a pack that fetches; the
// request of the pack owns it from the send to the reply.
struct pack_results {
  struct destination {
    void* to;
    std::size_t bytes;
  };
  std::size_t n = 0;
  std::size_t reply_bytes = sizeof(pack_head);

  destination* destinations() { return reinterpret_cast<destination*>(this + 1); }
  const destination* destinations() const { return reinterpret_cast<const destination*>(this + 1); }
};
static_assert(sizeof(pack_results) % alignof(pack_results::destination) == 0);

// The memory for the results of a pack whose reply has up to so many bytes. A value has at least a word.
constexpr std::size_t memory_of_results(std::size_t reply_room) {
  return sizeof(pack_results) + (reply_room - sizeof(pack_head)) / 8 * sizeof(pack_results::destination);
}

struct pack {
  pack* next_free;
  pack_results* results;  // null: none of its operations fetches
  int pe;
  int index;            // in packer::open
  std::uint32_t epoch;  // of channel::requests, from the first operation to the reply
  std::uint32_t used;   // bytes
  std::uint32_t room;   // bytes of the buffer, which follows
  std::uint64_t opened_ns;

  bool is_long() const { return room > pack_bytes; }
  std::size_t reply_room() const { return room < long_reply_bytes ? room : long_reply_bytes; }
  char* buffer() { return reinterpret_cast<char*>(this + 1); }
  std::size_t memory() const {
    return sizeof *this + room + (results != nullptr ? memory_of_results(reply_room()) : 0);
  }
};
static_assert(sizeof(pack) % 8 == 0);

// The packs of one channel. All members except `next` are guarded by `lock`; `next` by the lock of the endpoint's list.
struct packer {
  os::mutex lock;
  struct channel* owner = nullptr;
  packer* next = nullptr;
  int n_open = 0;
  int n_buffers = 0;  // open or free
  int n_long = 0;     // of them
  std::uint32_t long_bytes = pack_bytes;
  pack* free_packs = nullptr;
  pack* free_long_packs = nullptr;  // taken first
  pack** of_pe = nullptr;           // the open pack of each PE, or null
  pack* open[max_open_packs] = {};
};

// Null: no memory. `message_bytes`: the longest message of the transport, at least `pack_bytes`.
packer* make_packer(int n_pes, std::size_t message_bytes);
void drop_packer(packer* p);  // with the packs that are still open

// The open or a new pack for a PE; null: no memory, or all buffers are in use (`n_buffers`).
pack* take_pack(packer& p, int pe);
// Removes an open pack. Its buffer stays with the packer, or belongs to the caller.
void recycle_pack(packer& p, pack& b);
void give_away_pack(packer& p, pack& b);
void take_back_pack(packer& p, pack& b);
void drop_pack(pack* b);  // for the caller that owns it

// True if the pack has room for so many bytes of records, and the reply for so many of values.
inline bool has_room(const pack& b, std::size_t records, std::size_t values) {
  if (b.used + records > b.room) return false;
  return values == 0 || b.results == nullptr || b.results->reply_bytes + values <= b.reply_room();
}
// The word of a record.
std::uint64_t word_of(const packed_op& what);
// An operation without operands.
inline void append_word(pack& b, std::uint64_t word) {
  memcpy(b.buffer() + b.used, &word, sizeof word);
  b.used += static_cast<std::uint32_t>(sizeof word);
}
// The pack has room for the record.
void append_record(pack& b, const packed_op& what, const void* operand);
// The same for a record that fetches: the reply brings its value to `result`. False: no memory; the pack is unchanged.
bool append_fetch(pack& b, const packed_op& what, const void* operand, void* result);

struct pack_reply {
  std::size_t used = sizeof(pack_head);
  std::size_t room = pack_bytes;             // the longest reply that the transport takes
  alignas(8) char buffer[long_reply_bytes];  // begins with room for the head
};

// On the target: applies the records behind the head, and appends the fetched values to the reply. False: one of the
// records is malformed; it and later ones are ignored.
bool apply_records(char* slice, std::size_t slice_bytes, const char* message, std::size_t n, pack_reply& reply);
// On the requester: stores the values of a reply. `results` may be null. False: the reply has another length.
bool take_results(const pack_results* results, const char* reply, std::size_t n);

}  // namespace oshen::transport
