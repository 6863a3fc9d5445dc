// Puts and gets of blocks of multidimensional arrays (shmemx_subarray_put and the like).
#pragma once

#include "op/call_site.hpp"

namespace oshen::op {

// A block of an array: the extents of the array and the first index of the block, for each axis. The last axis is
// contiguous.
struct array_block {
  const std::size_t* sizes;
  const std::size_t* starts;
};

struct subarray_args {
  void* dest;
  array_block to;
  const void* source;
  array_block from;
  const std::size_t* extents;  // of the block, for each axis
  int axes;
  std::size_t element_bytes;
};

enum class issue : bool { blocking, nonblocking };

void subarray_put(call_site at, const subarray_args& args, issue by, int pe);
void subarray_get(call_site at, const subarray_args& args, issue by, int pe);

}  // namespace oshen::op
