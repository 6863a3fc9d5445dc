#include "transport/pack.hpp"

#include <stdlib.h>
#include <string.h>

#include <new>

#include "transport/memory_region.hpp"

namespace oshen::transport {
namespace {

constexpr int offset_bits = 48, op_bits = 4;
constexpr std::uint64_t low_bits(int n) { return (std::uint64_t{1} << n) - 1; }

struct packed_record {
  std::uint64_t at;
  operation op;
  std::size_t bytes;
};

packed_record read_record(const char* from) {
  std::uint64_t word;
  memcpy(&word, from, sizeof word);
  return {.at = word & low_bits(offset_bits),
          .op = static_cast<operation>(word >> offset_bits & low_bits(op_bits)),
          .bytes = static_cast<std::size_t>(word >> (offset_bits + op_bits))};
}

bool is_valid(const packed_record& r, std::size_t slice_bytes) {
  if (r.bytes == 0 || r.bytes > slice_bytes || r.at > slice_bytes - r.bytes) return false;
  if (r.op == operation::fetch) return r.bytes <= most_packed_bytes;
  return r.op <= operation::bit_xor && (r.bytes == 4 || r.bytes == 8) && r.at % r.bytes == 0;
}

void apply_record(char* slice, const packed_record& r, const char* operand) {
  if (r.op == operation::fetch) return deliver(slice + r.at, operand, r.bytes);
  std::uint64_t value = 0;
  memcpy(&value, operand, r.bytes);
  const auto bytes = static_cast<width>(r.bytes);
  static_cast<void>(apply(slice + r.at, {.op = r.op, .bytes = bytes, .fetches = false, .value = value, .compare = 0}));
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

}  // namespace

packer* make_packer(int n_pes) {
  void* memory = malloc(sizeof(packer));
  if (memory == nullptr) return nullptr;
  auto* p = new (memory) packer;
  p->of_pe = static_cast<pack**>(calloc(static_cast<std::size_t>(n_pes), sizeof *p->of_pe));
  if (p->of_pe == nullptr) return free(p), nullptr;
  return p;
}

void drop_packer(packer* p) {
  for (int i = 0; i < p->n_open; ++i) free(p->open[i]);
  for (pack *b = p->free_packs, *next; b != nullptr; b = next) {
    next = b->next_free;
    free(b);
  }
  free(p->of_pe);
  free(p);
}

pack* take_pack(packer& p, int pe) {
  if (p.of_pe[pe] != nullptr) return p.of_pe[pe];
  pack* b = p.free_packs;
  if (b != nullptr) {
    p.free_packs = b->next_free;
  } else {
    if (p.n_buffers == max_open_packs) return nullptr;
    b = static_cast<pack*>(malloc(sizeof(pack)));
    if (b == nullptr) return nullptr;
    ++p.n_buffers;
  }
  b->pe = pe;
  b->used = 0;
  open_pack(p, *b);
  return b;
}

void recycle_pack(packer& p, pack& b) {
  close_pack(p, b);
  b.next_free = p.free_packs;
  p.free_packs = &b;
}

void give_away_pack(packer& p, pack& b) {
  close_pack(p, b);
  --p.n_buffers;
}

void take_back_pack(packer& p, pack& b) {
  open_pack(p, b);
  ++p.n_buffers;
}

void append_record(pack& b, operation op, std::uint64_t at, const void* operand, std::size_t bytes) {
  const std::uint64_t word =
      at | static_cast<std::uint64_t>(op) << offset_bits | static_cast<std::uint64_t>(bytes) << (offset_bits + op_bits);
  char* const to = b.buffer + b.used;
  b.used += static_cast<std::uint32_t>(record_bytes(bytes));
  memset(b.buffer + b.used - 8, 0, 8);  // the padding
  memcpy(to, &word, sizeof word);
  memcpy(to + sizeof word, operand, bytes);
}

bool apply_records(char* slice, std::size_t slice_bytes, const char* message, std::size_t n) {
  for (std::size_t at = sizeof(pack_head); at < n;) {
    if (n - at < sizeof(std::uint64_t)) return false;
    const packed_record r = read_record(message + at);
    if (!is_valid(r, slice_bytes) || record_bytes(r.bytes) > n - at) return false;
    apply_record(slice, r, message + at + sizeof(std::uint64_t));
    at += record_bytes(r.bytes);
  }
  return true;
}

}  // namespace oshen::transport
