#include "transport/pack.hpp"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "transport/memory_region.hpp"

namespace oshen::transport {
namespace {

// A word: offset, code, whether it fetches, length or small value. Codes are those of `operation`, and two for small
// additions.
constexpr int offset_bits = 48, op_bits = 4, fetches_bit = offset_bits + op_bits, bytes_bit = fetches_bit + 1;
static_assert(bytes_bit + small_value_bits == 64);
constexpr std::uint64_t low_bits(int n) { return (std::uint64_t{1} << n) - 1; }
constexpr std::uint64_t small_add_4 = 8, small_add_8 = 9;
static_assert(static_cast<std::uint64_t>(operation::fetch) == 0);
static_assert(static_cast<std::uint64_t>(operation::bit_xor) < small_add_4);

std::int16_t small_value_of(std::uint64_t word) {
  return static_cast<std::int16_t>(static_cast<std::int64_t>(word) >> bytes_bit);
}

packed_op read_word(std::uint64_t word) {
  const std::uint64_t code = word >> offset_bits & low_bits(op_bits);
  packed_op what{.at = word & low_bits(offset_bits),
                 .op = static_cast<operation>(code),
                 .fetches = (word >> fetches_bit & 1) != 0,
                 .bytes = static_cast<std::size_t>(word >> bytes_bit)};
  if (code != small_add_4 && code != small_add_8) return what;
  what.op = operation::add;
  what.bytes = code == small_add_4 ? 4 : 8;
  what.is_small = true;
  what.small_value = small_value_of(word);
  return what;
}

bool is_valid(const packed_op& what, std::size_t slice_bytes) {
  if (what.bytes == 0 || what.bytes > slice_bytes || what.at > slice_bytes - what.bytes) return false;
  if (what.op == operation::fetch) return what.bytes <= most_packed_bytes;
  return what.op <= operation::bit_xor && (what.bytes == 4 || what.bytes == 8) && (what.at & (what.bytes - 1)) == 0;
}

// `value` receives the value before, if the operation fetches.
void apply_one(char* object, const packed_op& what, const char* operand, char* value) {
  if (what.op == operation::fetch && what.fetches) return collect(value, object, what.bytes);
  if (what.op == operation::fetch) return deliver(object, operand, what.bytes);
  atomic_op op{
      .op = what.op, .bytes = static_cast<width>(what.bytes), .fetches = what.fetches, .value = 0, .compare = 0};
  if (what.is_small)
    op.value = static_cast<std::uint64_t>(std::int64_t{what.small_value});
  else
    memcpy(&op.value, operand, what.bytes);
  if (what.op == operation::compare_swap) memcpy(&op.compare, operand + what.bytes, what.bytes);
  const std::uint64_t before = apply(object, op);
  if (what.fetches) memcpy(value, &before, what.bytes);
}

// The space of a value in the reply, with its padding cleared.
char* add_value(pack_reply& reply, std::size_t bytes) {
  char* const value = reply.buffer + reply.used;
  reply.used += bytes;
  if (bytes != 0) memset(reply.buffer + reply.used - 8, 0, 8);
  return value;
}

void close_pack(packer& p, pack& b) {
  pack* const last = p.open[--p.n_open];
  p.open[b.index] = last;
  last->index = b.index;
  p.of_pe[b.pe] = nullptr;
}

void open_pack(packer& p, pack& b) {
  b.index = p.n_open;
  p.open[p.n_open++] = &b;
  p.of_pe[b.pe] = &b;
}

pack*& free_list_of(packer& p, bool is_long) { return is_long ? p.free_long_packs : p.free_packs; }

pack* take_free(packer& p, bool is_long) {
  pack*& list = free_list_of(p, is_long);
  pack* const b = list;
  if (b != nullptr) list = b->next_free;
  return b;
}

void drop_list(pack* b) {
  for (pack* next; b != nullptr; b = next) {
    next = b->next_free;
    free(b);
  }
}

void count_buffer(packer& p, const pack& b, int by) {
  p.n_buffers += by;
  if (b.is_long()) p.n_long += by;
}

// The first buffers of a channel are long, so its memory stays bounded however many targets it has.
pack* make_pack(packer& p) {
  if (p.n_buffers == max_open_packs) return nullptr;
  const std::uint32_t room = p.n_long < max_long_packs ? p.long_bytes : std::uint32_t{pack_bytes};
  auto* const b = static_cast<pack*>(malloc(sizeof(pack) + room));
  if (b == nullptr) return nullptr;
  b->room = room;
  count_buffer(p, *b, 1);
  return b;
}

}  // namespace

packer* make_packer(int n_pes, std::size_t message_bytes) {
  void* memory = malloc(sizeof(packer));
  if (memory == nullptr) return nullptr;
  auto* p = new (memory) packer;
  p->of_pe = static_cast<pack**>(calloc(static_cast<std::size_t>(n_pes), sizeof *p->of_pe));
  if (p->of_pe == nullptr) {
    free(p);
    return nullptr;
  }
  p->long_bytes = static_cast<std::uint32_t>(std::min(message_bytes, long_pack_bytes));
  return p;
}

void drop_packer(packer* p) {
  for (int i = 0; i < p->n_open; ++i) drop_pack(p->open[i]);
  drop_list(p->free_packs);
  drop_list(p->free_long_packs);
  free(p->of_pe);
  free(p);
}

pack* take_pack(packer& p, int pe) {
  if (p.of_pe[pe] != nullptr) return p.of_pe[pe];
  const bool may_add_long = p.long_bytes > pack_bytes && p.n_long < max_long_packs;
  pack* b = take_free(p, true);
  if (b == nullptr && !may_add_long) b = take_free(p, false);
  if (b == nullptr) b = make_pack(p);
  if (b == nullptr) b = take_free(p, false);
  if (b == nullptr) return nullptr;
  b->results = nullptr;
  b->pe = pe;
  b->used = 0;
  open_pack(p, *b);
  return b;
}

void recycle_pack(packer& p, pack& b) {
  close_pack(p, b);
  pack*& list = free_list_of(p, b.is_long());
  b.next_free = list;
  list = &b;
}

void give_away_pack(packer& p, pack& b) {
  close_pack(p, b);
  count_buffer(p, b, -1);
}

void take_back_pack(packer& p, pack& b) {
  open_pack(p, b);
  count_buffer(p, b, 1);
}

void drop_pack(pack* b) {
  free(b->results);
  free(b);
}

std::uint64_t word_of(const packed_op& what) {
  std::uint64_t code = static_cast<std::uint64_t>(what.op), length = what.bytes;
  if (what.is_small) {
    code = what.bytes == 4 ? small_add_4 : small_add_8;
    length = static_cast<std::uint64_t>(std::int64_t{what.small_value});
  }
  return what.at | code << offset_bits | static_cast<std::uint64_t>(what.fetches) << fetches_bit | length << bytes_bit;
}

void append_record(pack& b, const packed_op& what, const void* operand) {
  const std::size_t bytes = what.operand_bytes();
  append_word(b, word_of(what));
  if (bytes == 0) return;
  char* const to = b.buffer() + b.used;
  b.used += static_cast<std::uint32_t>(whole_words(bytes));
  memset(b.buffer() + b.used - 8, 0, 8);  // the padding
  memcpy(to, operand, bytes);
}

bool append_fetch(pack& b, const packed_op& what, const void* operand, void* result) {
  if (b.results == nullptr) {
    void* memory = malloc(memory_of_results(b.reply_room()));
    if (memory == nullptr) return false;
    b.results = new (memory) pack_results;
  }
  b.results->destinations()[b.results->n++] = {.to = result, .bytes = what.bytes};
  b.results->reply_bytes += what.value_bytes();
  append_record(b, what, operand);
  return true;
}

namespace {

// The most frequent records, without the general form. False: the record is another one, or malformed.
inline bool apply_quickly(char* slice, std::size_t slice_bytes, std::uint64_t word, pack_reply& reply) {
  constexpr std::uint64_t add_head = small_add_8 << offset_bits;
  constexpr std::uint64_t get_head = std::uint64_t{1} << fetches_bit | std::uint64_t{8} << bytes_bit;
  const std::uint64_t at = word & low_bits(offset_bits);
  if (at % 8 != 0 || at > slice_bytes - 8) return false;
  auto& object = *reinterpret_cast<std::uint64_t*>(slice + at);
  if ((word & low_bits(bytes_bit) & ~low_bits(offset_bits)) == add_head) {
    apply_to(object, operation::add, static_cast<std::uint64_t>(std::int64_t{small_value_of(word)}));
    return true;
  }
  if (word - at != get_head || reply.room - reply.used < 8) return false;
  const std::uint64_t value = apply_to(object, operation::fetch, std::uint64_t{});
  memcpy(reply.buffer + reply.used, &value, sizeof value);
  reply.used += sizeof value;
  return true;
}

}  // namespace

bool apply_records(char* slice, std::size_t slice_bytes, const char* message, std::size_t n, pack_reply& reply) {
  for (std::size_t at = sizeof(pack_head); at < n;) {
    std::uint64_t word;
    if (n - at < sizeof word) return false;
    memcpy(&word, message + at, sizeof word);
    if (slice_bytes >= 8 && apply_quickly(slice, slice_bytes, word, reply)) {
      at += sizeof word;
      continue;
    }
    const packed_op what = read_word(word);
    if (!is_valid(what, slice_bytes) || what.record_bytes() > n - at) return false;
    if (what.value_bytes() > reply.room - reply.used) return false;
    apply_one(slice + what.at, what, message + at + sizeof word, add_value(reply, what.value_bytes()));
    at += what.record_bytes();
  }
  return true;
}

bool take_results(const pack_results* results, const char* reply, std::size_t n) {
  if (n != (results != nullptr ? results->reply_bytes : sizeof(pack_head))) return false;
  if (results == nullptr) return true;
  const char* from = reply + sizeof(pack_head);
  for (std::size_t i = 0; i < results->n; ++i) {
    const auto& [to, bytes] = results->destinations()[i];
    deliver(static_cast<char*>(to), from, bytes);
    from += whole_words(bytes);
  }
  return true;
}

}  // namespace oshen::transport
