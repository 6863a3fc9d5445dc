// Strided and block-strided put and get (OpenSHMEM 1.6, 9.5.5 to 9.5.8). Strides are in elements.
#pragma once

#include "op/rma.hpp"

namespace oshen::op {

// The arguments of the routines: blocks of `size` elements, whose starts are `dst` elements apart in dest and `sst` in
// source.
struct stride_args {
  std::ptrdiff_t dst;
  std::ptrdiff_t sst;
  std::size_t size;
  std::size_t count;
};

// The number of elements from the first to the last of `count` blocks of `size` elements, `stride` apart. An invalid
// stride ends the job.
std::size_t extent(call_site at, const char* argument, std::ptrdiff_t stride, std::size_t size, std::size_t count);

template <class T>
inline void copy_blocks(T* to, const T* from, const stride_args& b) {
  for (std::size_t i = 0; i < b.count; ++i, to += b.dst, from += b.sst) copy(to, from, b.size);
}

inline void check_pe(call_site at, int pe, bool near) {
  if (!near) static_cast<void>(locate(at, pe));
}
template <class T>
constexpr block_layout layout_of(const stride_args& b) {
  const auto width = static_cast<std::ptrdiff_t>(sizeof(T));
  return {
      .dest_step = b.dst * width, .source_step = b.sst * width, .block_bytes = b.size * sizeof(T), .n_blocks = b.count};
}

// shmem_ibput, and shmem_iput with blocks of one element.
template <class T>
inline void ibput(call_site at, T* dest, const T* source, const stride_args& b, int pe) {
  near_peer p;
  const bool near = find_near(at, pe, p);
  if (b.size == 0 || b.count == 0) return check_pe(at, pe, near);
  const std::size_t span = extent(at, "dst", b.dst, b.size, b.count);
  extent(at, "sst", b.sst, b.size, b.count);
  if (!near) [[unlikely]]
    return put_blocks_slow(at, dest, source, layout_of<T>(b), pe);
  T* const to = peer_address(at, p, "dest", dest, span * sizeof(T));
  copy_blocks(to, source, b);
  wake(p.wakeup(), to, span * sizeof(T));
}

// shmem_ibget, and shmem_iget with blocks of one element.
template <class T>
inline void ibget(call_site at, T* dest, const T* source, const stride_args& b, int pe) {
  near_peer p;
  const bool near = find_near(at, pe, p);
  if (b.size == 0 || b.count == 0) return check_pe(at, pe, near);
  const std::size_t span = extent(at, "sst", b.sst, b.size, b.count);
  extent(at, "dst", b.dst, b.size, b.count);
  if (!near) [[unlikely]]
    return get_blocks_slow(at, dest, source, layout_of<T>(b), pe);
  copy_blocks(dest, static_cast<const T*>(peer_address(at, p, "source", source, span * sizeof(T))), b);
  keep_loads_before();
}

}  // namespace oshen::op
