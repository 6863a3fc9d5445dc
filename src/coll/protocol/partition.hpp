// Dividing a vector among the PEs of a team: each owns one part, combines it for all, and writes it to all.
#pragma once

#include <algorithm>

#include "coll/protocol/peer_memory.hpp"

namespace oshen::coll {

struct part {
  std::size_t first;  // element
  std::size_t elements;
};

// Part `i` of `parts`. They begin on cache lines of dest where that is possible, so that no line has two writers.
inline part part_of(const task& job, int i, int parts) {
  const auto n = static_cast<std::size_t>(parts);
  const std::size_t grain = job.element_bytes < cache_line ? cache_line / job.element_bytes : 1;
  const std::size_t share = round_up((job.elements + n - 1) / n, grain);
  const std::size_t first = std::min(share * static_cast<std::size_t>(i), job.elements);
  return {first, std::min(share, job.elements - first)};
}
inline part part_of(const task& job, int pe) { return part_of(job, pe, job.members.n_pes); }

// into = into op the object `from` of PE `pe`.
inline void combine_from(const task& job, int pe, void* into, const char* from, std::size_t elements) {
  observe(job.members, event::copy, pe, elements * job.element_bytes);
  job.combine(into, at_pe(job.members, pe, from), elements);
}

inline constexpr std::size_t copy_block_bytes = 16 * 1024;  // read by many copies in a row
inline constexpr std::size_t block_bytes = 8192;  // stays in the first-level cache with its sources

// Copies this PE's `source` to `place` in the slice of every PE, block by block: all but the first copy of a block
// read it from the first-level cache. `place` may be `source` itself.
inline void write_to_all(const task& job, char* place, const char* source, std::size_t bytes) {
  const team& t = job.members;
  for (std::size_t done = 0; done < bytes; done += copy_block_bytes) {
    const std::size_t n = std::min(copy_block_bytes, bytes - done);
    for (const int pe : others(t)) write_to(t, pe, place + done, source + done, n);
    memmove(place + done, source + done, n);
  }
}

// PEs of a team, in its order: all, or those of a list.
struct some_pes {
  int n;
  const int* list = nullptr;

  int operator[](int i) const { return list != nullptr ? list[i] : i; }
};

// Combines `elements` of the sources of `who` from byte `offset` on, in the order of PE numbers.
inline void combine_sources(const task& job, const some_pes& who, std::size_t offset, std::size_t elements, char* sum) {
  read_from(job.members, who[0], sum, job.source + offset, elements * job.element_bytes);
  for (int i = 1; i < who.n; ++i) combine_from(job, who[i], sum, job.source + offset, elements);
}

// Calls `step(offset in bytes, elements)` for the blocks of a part.
template <class Step>
void for_blocks(const task& job, const part& of, Step step) {
  const std::size_t per_block = block_bytes / job.element_bytes;
  for (std::size_t done = 0; done < of.elements; done += per_block)
    step((of.first + done) * job.element_bytes, std::min(per_block, of.elements - done));
}

// Combines a part of the sources of `who`, who have all entered, and calls `deliver(offset in bytes, sum, bytes)` for
// each block of the result. In place is safe: a block of every source has been read when that of the result is written.
template <class Deliver>
void combine_part(const task& job, const some_pes& who, const part& of, Deliver deliver) {
  alignas(cache_line) char sum[block_bytes];
  for_blocks(job, of, [&](std::size_t offset, std::size_t elements) {
    combine_sources(job, who, offset, elements, sum);
    deliver(offset, sum, elements * job.element_bytes);
  });
}
template <class Deliver>
void combine_part(const task& job, const part& of, Deliver deliver) {
  combine_part(job, {job.members.n_pes}, of, deliver);
}

// The same for this PE's part, as soon as all have entered.
template <class Deliver>
void combine_own_part(const task& job, Deliver deliver) {
  post(job.members);
  await_all(job);  // a source must not be read before its PE has entered
  combine_part(job, part_of(job, job.members.my_pe), deliver);
}

}  // namespace oshen::coll
