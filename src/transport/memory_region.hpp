// The slice of symmetric memory that a PE exposes, divided into memory regions of equal size. Fabrics register each
// region separately (ADR 15). Offsets count from the start of the slice and mean the same on all PEs.
#pragma once

#include <string.h>

#include "transport/transport.hpp"

namespace oshen::transport {

inline constexpr int max_regions = 256;

struct memory_regions {
  char* base = nullptr;
  std::size_t bytes = 0;
  int region_shift = 21;             // binary logarithm of the region size
  static constexpr int whole = 63;   // region_shift of a slice that is one region
  std::size_t max_chunk = SIZE_MAX;  // the longest operation of the provider

  memory_regions() = default;
  explicit memory_regions(const open_params& params) : base(params.slice), bytes(params.slice_bytes) {
    while (bytes >> region_shift >= max_regions) ++region_shift;
  }

  bool contains(std::uint64_t offset, std::size_t n) const { return offset < bytes && n <= bytes - offset; }

  int region_of(std::uint64_t offset) const { return static_cast<int>(offset >> region_shift); }
  bool has_region(int region) const { return region >= 0 && region <= region_of(bytes - 1); }
  std::uint64_t begin_of(int region) const { return static_cast<std::uint64_t>(region) << region_shift; }
  std::size_t bytes_of(int region) const {
    const std::size_t whole = std::size_t{1} << region_shift, rest = bytes - begin_of(region);
    return rest < whole ? rest : whole;
  }

  // The number of bytes of a range that one operation transfers: they lie in one region.
  std::size_t first_chunk(std::uint64_t offset, std::size_t n) const {
    const std::uint64_t rest = begin_of(region_of(offset) + 1) - offset;
    if (n > rest) n = rest;
    return n < max_chunk ? n : max_chunk;
  }
  // The number of operations that transfer a range of at least one byte.
  std::uint32_t chunks_in(std::uint64_t offset, std::size_t n) const {
    std::uint32_t chunks = 0;
    for (std::size_t chunk = 0; n != 0; n -= chunk, offset += chunk, ++chunks) chunk = first_chunk(offset, n);
    return chunks;
  }
};

// Stores bytes that arrived. An aligned object of 1, 2, 4 or 8 bytes is never seen in part.
inline void deliver(char* to, const char* from, std::size_t bytes) {
  const bool aligned = (reinterpret_cast<std::uintptr_t>(to) & (bytes - 1)) == 0;  // if `bytes` is a power of 2
  const auto store = [&]<class T>(T bits) {
    memcpy(&bits, from, sizeof bits);
    __atomic_store_n(reinterpret_cast<T*>(to), bits, __ATOMIC_RELEASE);
  };
  switch (aligned ? bytes : 0) {
    case 1: return store(std::uint8_t{});
    case 2: return store(std::uint16_t{});
    case 4: return store(std::uint32_t{});
    case 8: return store(std::uint64_t{});
    default: memcpy(to, from, bytes);
  }
}

// Reads bytes that leave in a reply. An aligned object of 1, 2, 4 or 8 bytes is read at once.
inline void collect(char* to, const char* from, std::size_t bytes) {
  const bool aligned = (reinterpret_cast<std::uintptr_t>(from) & (bytes - 1)) == 0;  // if `bytes` is a power of 2
  const auto load = [&]<class T>(T bits) {
    bits = __atomic_load_n(reinterpret_cast<const T*>(from), __ATOMIC_ACQUIRE);
    memcpy(to, &bits, sizeof bits);
  };
  switch (aligned ? bytes : 0) {
    case 1: return load(std::uint8_t{});
    case 2: return load(std::uint16_t{});
    case 4: return load(std::uint32_t{});
    case 8: return load(std::uint64_t{});
    default: memcpy(to, from, bytes);
  }
}

// Updates the 8-byte signal at `offset`, after the bytes that belong to it.
inline void deliver_signal(const memory_regions& to, std::uint64_t offset, signal_op op, std::uint64_t value) {
  auto* signal = reinterpret_cast<std::uint64_t*>(to.base + offset);
  if (op == signal_op::set)
    __atomic_store_n(signal, value, __ATOMIC_RELEASE);
  else
    __atomic_fetch_add(signal, value, __ATOMIC_ACQ_REL);
}

}  // namespace oshen::transport
