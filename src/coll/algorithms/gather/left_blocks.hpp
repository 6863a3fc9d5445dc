// Blocks that are left where they are until somebody on the node takes them. Small ones travel in the flag slots of
// those who give them, who go at once.
#pragma once

#include "coll/protocol/block_positions.hpp"

namespace oshen::coll {

// Leaves this PE's block to PE `taker`, which posts when it has taken all that it takes.
inline void leave_block(const task& job, int taker) {
  const bool small = job.bytes() <= flag_payload;
  post(job.members, job.elements, job.source, small ? job.bytes() : 0);
  if (!small) await(job, taker);
}

// Takes the block of PE `pe`, which must have so many elements.
inline void take_block(const task& job, int pe, std::size_t elements, char* to) {
  const std::size_t left = await(job, pe).word;
  check_length(job, "dest_counts", pe, elements, left);
  const std::size_t bytes = left * job.element_bytes;
  if (bytes == 0) return;
  if (bytes <= flag_payload)
    memcpy(to, payload_of(job.members, pe, bytes), bytes);
  else
    read_from(job.members, pe, to, job.source, bytes);
}

}  // namespace oshen::coll
