// Reductions that divide the vector among the PEs of a team: each PE owns a share, combines it from the sources of
// all PEs, and delivers the result.
#pragma once

#include <algorithm>

#include "coll/shared_memory/flag_slots.hpp"

namespace oshen::coll {

// A contiguous range of a vector, in elements.
struct element_range {
  std::size_t first;
  std::size_t elements;
};

// Share `i` of `shares`. Their lengths are multiples of a cache line where possible, so that no line of dest has
// two writers.
inline element_range aligned_share(const collective_call& call, int i, int shares) {
  const auto n = static_cast<std::size_t>(shares);
  const std::size_t grain = call.element_bytes < cache_line ? cache_line / call.element_bytes : 1;
  const std::size_t length = round_up((call.elements + n - 1) / n, grain);
  const std::size_t first = std::min(length * static_cast<std::size_t>(i), call.elements);
  return {first, std::min(length, call.elements - first)};
}
inline element_range aligned_share(const collective_call& call, int pe) {
  return aligned_share(call, pe, call.members.n_pes);
}

// into = into op the object `from` of PE `pe`.
inline void combine_from(const collective_call& call, int pe, void* into, const char* from, std::size_t elements) {
  observe(call.members, event::copy, pe, elements * call.element_bytes);
  call.combine(into, peer_address(call.members, pe, from), elements);
}

inline constexpr std::size_t copy_block_bytes = 16 * 1024;  // for many copies of one block
inline constexpr std::size_t block_bytes = 8192;            // fits into the first-level cache together with its sources

// Copies `source` to the object `dest` of every PE, block by block: every copy of a block but the first reads it from
// the first-level cache. `dest` may be `source` itself.
inline void write_to_all(const collective_call& call, char* dest, const char* source, std::size_t bytes) {
  const team& t = call.members;
  for (std::size_t done = 0; done < bytes; done += copy_block_bytes) {
    const std::size_t n = std::min(copy_block_bytes, bytes - done);
    for (const int pe : others(t)) write_to(t, pe, dest + done, source + done, n);
    memmove(dest + done, source + done, n);
  }
}

// Some PEs of a team, in its order: the first `n`, or those of a list.
struct some_pes {
  int n;
  const int* list = nullptr;

  int operator[](int i) const { return list != nullptr ? list[i] : i; }
};

// Combines `elements` of the sources of `pes` from byte `offset` on, in the order of PE numbers.
inline void combine_sources(const collective_call& call, const some_pes& pes, std::size_t offset, std::size_t elements,
                            char* sum) {
  read_from(call.members, pes[0], sum, call.source + offset, elements * call.element_bytes);
  for (int i = 1; i < pes.n; ++i) combine_from(call, pes[i], sum, call.source + offset, elements);
}

// Calls `step(offset in bytes, elements)` for each block of a range.
template <class Step>
void for_blocks(const collective_call& call, const element_range& of, Step step) {
  const std::size_t per_block = block_bytes / call.element_bytes;
  for (std::size_t done = 0; done < of.elements; done += per_block)
    step((of.first + done) * call.element_bytes, std::min(per_block, of.elements - done));
}

// Combines a range of the sources of `pes`, which must have entered, and calls `deliver(offset in bytes, sum, bytes)`
// for each block of the result. Dest may be source: a block of every source is read before the result is written.
template <class Deliver>
void combine_range(const collective_call& call, const some_pes& pes, const element_range& of, Deliver deliver) {
  alignas(cache_line) char sum[block_bytes];
  for_blocks(call, of, [&](std::size_t offset, std::size_t elements) {
    combine_sources(call, pes, offset, elements, sum);
    deliver(offset, sum, elements * call.element_bytes);
  });
}
template <class Deliver>
void combine_range(const collective_call& call, const element_range& of, Deliver deliver) {
  combine_range(call, {call.members.n_pes}, of, deliver);
}

// Posts `value`, waits until all PEs have entered, then combines this PE's share.
template <class Deliver>
void combine_own_share(const collective_call& call, Deliver deliver, std::uint64_t value = 0) {
  post(call.members, value);
  await_all(call);  // a source must not be read before its PE has entered
  combine_range(call, aligned_share(call, call.members.my_pe), deliver);
}

}  // namespace oshen::coll
