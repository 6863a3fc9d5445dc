// The arena: symmetric memory that is handed out locally.
//
// It is allocated once, collectively. After that every PE takes and returns pieces on its own, so
// offsets differ between PEs and are told to those who need them (group.hpp). At its head lies the
// board: one record per PE of the world, which that PE alone writes, for the set-up talk of groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "oshen/exchange.h"

namespace oshen::exchange {

// What a PE tells a peer while a plan is made. Each field is written in a round of its own or
// before the same sync.
struct record {
  std::uint64_t half;        // where the receive memory lies: its offset in the arena,
  std::uint64_t half_bytes;  // and the size of each of its two halves
  std::uint64_t slot;        // offset in a half of the bytes that the reader will send
  std::uint64_t slot_bytes;  // how many are expected of the reader
  std::int32_t strategy;     // row chosen
  std::int32_t status;       // first round: can the memory be had
  std::int32_t verdict;      // second round: the worst status seen by the writer
};

inline constexpr std::size_t alignment =
    64;  // of everything in the arena: no two messages share a cache line
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace oshen::exchange

struct oshen_arena {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::map<std::size_t, std::size_t> free;  // offset -> bytes of each hole, never adjacent

  oshen::exchange::record* board() { return reinterpret_cast<oshen::exchange::record*>(base); }

  // First fit; `nowhere` when no hole is large enough. bytes > 0.
  std::size_t take(std::size_t wanted);
  void give_back(std::size_t offset, std::size_t size);
};
