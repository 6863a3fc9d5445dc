// The window of a PE: the memory that others reach. Places in it are offsets from its beginning, and mean the same on
// all PEs, whose windows have one size. Fabrics cut it into pieces of one size, registered one by one (ADR 15).
#pragma once

#include <string.h>

#include "transport/transport.hpp"

namespace oshen::transport {

inline constexpr int most_pieces = 256;

struct window {
  char* base = nullptr;
  std::size_t bytes = 0;
  int piece_shift = 21;  // logarithm of the size of a piece

  window() = default;
  explicit window(const opening& how) : base(how.window), bytes(how.window_bytes) {
    while (bytes >> piece_shift >= most_pieces) ++piece_shift;
  }

  bool holds(std::uint64_t place, std::size_t n) const { return place < bytes && n <= bytes - place; }

  int piece_at(std::uint64_t place) const { return static_cast<int>(place >> piece_shift); }
  bool has_piece(int piece) const { return piece >= 0 && piece <= piece_at(bytes - 1); }
  std::uint64_t begin_of(int piece) const { return static_cast<std::uint64_t>(piece) << piece_shift; }
  std::size_t bytes_of(int piece) const {
    const std::size_t whole = std::size_t{1} << piece_shift, rest = bytes - begin_of(piece);
    return rest < whole ? rest : whole;
  }

  // Of a range that is not empty.
  std::uint32_t parts_of(std::uint64_t place, std::size_t n) const {
    return static_cast<std::uint32_t>(piece_at(place + n - 1) - piece_at(place) + 1);
  }
  // Calls visit(place, bytes) for the parts of a range that lie in one piece each, as long as it says `done`.
  template <class Visit>
  outcome each_part(std::uint64_t place, std::size_t n, Visit visit) const {
    outcome o = outcome::done;
    while (n != 0 && o == outcome::done) {
      const std::uint64_t end = begin_of(piece_at(place) + 1);
      const std::size_t part = end - place < n ? end - place : n;
      o = visit(place, part);
      place += part;
      n -= part;
    }
    return o;
  }
};

// Bytes that came for the window. A word that is a multiple of its size is seen whole.
inline void deliver(char* to, const char* from, std::size_t bytes) {
  const bool aligned = bytes != 0 && reinterpret_cast<std::uintptr_t>(to) % bytes == 0;
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

// A signal that came, for the 8 bytes at `place`, after the bytes that it speaks of.
inline void deliver_signal(const window& to, std::uint64_t place, signal_change change, std::uint64_t value) {
  auto* word = reinterpret_cast<std::uint64_t*>(to.base + place);
  if (change == signal_change::set) __atomic_store_n(word, value, __ATOMIC_RELEASE);
  else __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
}

}  // namespace oshen::transport
