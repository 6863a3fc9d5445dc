// What the schedules of alltoalls add to those of alltoall: blocks whose elements lie apart.
#pragma once

#include "coll/algorithms/alltoall/schedule.hpp"
#include "coll/protocol/strided.hpp"

namespace oshen::coll {

inline std::size_t dest_block_at(const task& job, int pe) {
  return block_at(job, pe) * static_cast<std::size_t>(job.dest_stride);
}
inline std::size_t source_block_at(const task& job, int pe) {
  return block_at(job, pe) * static_cast<std::size_t>(job.source_stride);
}

inline void copy_own_elements(const task& job) {
  const int pe = job.members.my_pe;
  copy_elements(job.dest + dest_block_at(job, pe), job.source + source_block_at(job, pe), job.dest_stride,
                job.source_stride, job.elements, job.element_bytes);
}

// Elements that lie apart cost about as much as a line each.
template <class Protocol>
double strided_cost(const setting& s, double steps) {
  return protocol_cost<Protocol>(s, steps, 20 * static_cast<double>(s.bytes) * (s.n_pes - 1));
}

}  // namespace oshen::coll
