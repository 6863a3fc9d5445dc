// Access to the memory of peers: addresses of their objects, copies to and from them, flags and counters. Objects of a
// peer are named by the address of this PE's own copy.
#pragma once

#include <string.h>

#include "coll/collective.hpp"
#include "op/slow_path.hpp"
#include "wait/backoff.hpp"

namespace oshen::coll {

// ---- observers ------------------------------------------------------------------------------------------------

// An observer sees what algorithms do: tests count flags, copies and messages, and chaos (run/chaos.hpp) delays them. A
// team without an observer pays for one test of a pointer.
enum class event : std::uint8_t {
  flag,     // this PE raised a flag for PE `pe` (-1: for all), and `bytes` travelled with it
  copy,     // this PE wrote into, or read from, the memory of PE `pe`
  message,  // this PE sent a matched message to PE `pe`
  sync,     // in a sync, this PE signalled PE `pe` (-1: all) or saw the signal of PE `pe`
  received  // this PE saw a flag or a message of PE `pe` (-1: of several)
};

struct observer {
  void (*saw)(observer& self, const team& t, event what, int pe, std::size_t bytes);
};

[[gnu::always_inline]] inline void observe(const team& t, event what, int pe, std::size_t bytes = 0) {
  if (t.watcher != nullptr) [[unlikely]]
    t.watcher->saw(*t.watcher, t, what, pe, bytes);
}

// ---- peers ----------------------------------------------------------------------------------------------------

// The address of a peer's copy of an object, for a PE of this node.
template <class T>
T* peer_address(const team& t, int pe, T* own) {
  return byte_offset(own, t.ctx.offset_to(static_cast<std::uint32_t>(pe)));
}

// The offset of an object in the slice of its PE, and the object of this PE at such an offset. PEs exchange offsets if
// they pass different objects in one call.
inline std::uint64_t offset_in_slice(const team& t, const void* object) {
  return static_cast<std::uint64_t>(static_cast<const char*>(object) - reinterpret_cast<const char*>(t.ctx.control));
}
inline char* object_at(const team& t, std::uint64_t offset) { return reinterpret_cast<char*>(t.ctx.control) + offset; }

// The PE that follows this one at distance `steps`, counted round the team.
inline int after(const team& t, int steps) {
  const int pe = t.my_pe + steps;
  return pe < t.n_pes ? pe : pe - t.n_pes;
}

// The other PEs of a team, for a range loop.
template <int direction>
struct round_the_team {
  struct iterator {
    const team& t;
    int distance;

    int operator*() const { return after(t, distance); }
    void operator++() { distance += direction; }
    bool operator!=(const iterator& end) const { return distance != end.distance; }
  };
  const team& t;

  iterator begin() const { return {t, direction > 0 ? 1 : t.n_pes - 1}; }
  iterator end() const { return {t, direction > 0 ? t.n_pes : 0}; }
};

// Starts with the next PE, so that PEs do not all access the same peer at once. The backwards loop starts with the
// previous PE: in that order the others access this PE.
inline round_the_team<1> others(const team& t) { return {t}; }
inline round_the_team<-1> others_backwards(const team& t) { return {t}; }

inline wake_flag& wake_flag_of(const team& t, int pe) { return peer_address(t, pe, t.ctx.control)->wakeup; }

// A copy into an object of a peer, and an update of one of its flags or counters.
struct peer_copy {
  void* to;
  const void* from;
  std::size_t bytes;
};
struct flag_update {
  std::atomic<std::uint64_t>& flag;
  std::uint64_t value;
};

// ---- PEs of other nodes, for algorithms of scope `any`. A flag is updated after all that this PE has written to the
// same peer before.

void put_remote(const team& t, int pe, const void* to, const void* from, std::size_t bytes);
// Copies, if there are bytes, then sets the flag or adds to the counter.
void put_and_set_remote(const team& t, int pe, const transport::put_signal_args& args);
void start_put_and_set_remote(const team& t, int pe, const transport::put_signal_args& args);
void put_and_add_remote(const team& t, int pe, const transport::put_signal_args& args);

inline transport::put_signal_args remote_update(const team& t, const peer_copy& data, const flag_update& f,
                                                transport::signal_op op = transport::signal_op::set) {
  return {.to = offset_in_slice(t, data.to),
          .from = data.from,
          .bytes = data.bytes,
          .signal = offset_in_slice(t, &f.flag),
          .value = f.value,
          .op = op};
}
inline transport::put_signal_args remote_addition(const team& t, const peer_copy& data, const flag_update& f) {
  return remote_update(t, data, f, transport::signal_op::add);
}

// Completes non-blocking puts locally: their source buffers may be reused.
[[gnu::cold]] void quiet_remote(const team& t);

// ---- PEs of any node ------------------------------------------------------------------------------------------

// Copies to the object `to` of PE `pe`.
inline void copy_to(const team& t, int pe, void* to, const void* from, std::size_t bytes) {
  if (!t.is_near(pe)) [[unlikely]]
    return put_remote(t, pe, to, from, bytes);
  memcpy(peer_address(t, pe, static_cast<char*>(to)), from, bytes);
}

// Sets a flag of PE `pe`, or adds to a counter there, after all that this PE has written there, and wakes the PE.
inline void set_flag(const team& t, int pe, std::atomic<std::uint64_t>& flag, std::uint64_t value) {
  if (!t.is_near(pe)) [[unlikely]]
    return put_and_set_remote(t, pe, remote_update(t, {&flag, nullptr, 0}, {flag, value}));
  const std::ptrdiff_t peer_offset = t.ctx.offset_to(static_cast<std::uint32_t>(pe));
  byte_offset(&flag, peer_offset)->store(value, std::memory_order_release);
  wake(byte_offset(t.ctx.control, peer_offset)->wakeup);
}
inline void add_to_counter(const team& t, int pe, std::atomic<std::uint64_t>& counter, std::uint64_t value) {
  if (!t.is_near(pe)) [[unlikely]]
    return put_and_add_remote(t, pe, remote_addition(t, {&counter, nullptr, 0}, {counter, value}));
  const std::ptrdiff_t peer_offset = t.ctx.offset_to(static_cast<std::uint32_t>(pe));
  byte_offset(&counter, peer_offset)->fetch_add(value, std::memory_order_release);
  wake(byte_offset(t.ctx.control, peer_offset)->wakeup);
}

// Copies, then updates a flag or a counter. A PE of another node gets both in one message if the data is short.
inline void copy_and_set(const team& t, int pe, const peer_copy& data, const flag_update& f) {
  if (!t.is_near(pe)) [[unlikely]]
    return put_and_set_remote(t, pe, remote_update(t, data, f));
  memcpy(peer_address(t, pe, static_cast<char*>(data.to)), data.from, data.bytes);
  set_flag(t, pe, f.flag, f.value);
}
inline void copy_and_add(const team& t, int pe, const peer_copy& data, const flag_update& f) {
  if (!t.is_near(pe)) [[unlikely]]
    return put_and_add_remote(t, pe, remote_addition(t, data, f));
  memcpy(peer_address(t, pe, static_cast<char*>(data.to)), data.from, data.bytes);
  add_to_counter(t, pe, f.flag, f.value);
}

// Copies to the object `to` of PE `pe`; copies from the object `from` of PE `pe`, which is on this node.
inline void write_to(const team& t, int pe, char* to, const void* from, std::size_t bytes) {
  observe(t, event::copy, pe, bytes);
  copy_to(t, pe, to, from, bytes);
}
inline void read_from(const team& t, int pe, void* to, const char* from, std::size_t bytes) {
  observe(t, event::copy, pe, bytes);
  memcpy(to, peer_address(t, pe, from), bytes);
}

// ---- strided elements ------------------------------------------------------------------------------------------

// The size is a template argument so that the compiler uses plain moves. Steps are in bytes.
template <std::size_t size>
void copy_strided(char* to, const char* from, std::ptrdiff_t to_step, std::ptrdiff_t from_step, std::size_t n) {
  for (; n != 0; --n, to += to_step, from += from_step) memcpy(to, from, size);
}

// Copies `n` elements of `size` bytes, at any alignment. Strides are in elements.
inline void copy_elements(char* to, const char* from, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n,
                          std::size_t size) {
  const auto width = static_cast<std::ptrdiff_t>(size);
  switch (dst == 1 && sst == 1 ? 0 : size) {
    case 0: memcpy(to, from, n * size); return;
    case 1: return copy_strided<1>(to, from, dst, sst, n);
    case 2: return copy_strided<2>(to, from, dst * 2, sst * 2, n);
    case 4: return copy_strided<4>(to, from, dst * 4, sst * 4, n);
    case 8: return copy_strided<8>(to, from, dst * 8, sst * 8, n);
    case 16: return copy_strided<16>(to, from, dst * 16, sst * 16, n);
    default:
      for (; n != 0; --n, to += dst * width, from += sst * width) memcpy(to, from, size);
  }
}

}  // namespace oshen::coll
