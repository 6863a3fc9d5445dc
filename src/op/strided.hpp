// Strided and block-strided put and get (OpenSHMEM 1.6, 9.5.5 to 9.5.8). Strides count elements.
#pragma once

#include "op/rma.hpp"

namespace oshen::op {

// Elements from the first to one past the last of `blocks` blocks of `size` elements, `stride` apart.
// Bad strides end the job here.
std::size_t extent(call_site at, const char* argument, std::ptrdiff_t stride, std::size_t size,
                   std::size_t blocks);

template <class T>
inline void copy_blocks(T* to, const T* from, std::ptrdiff_t to_stride, std::ptrdiff_t from_stride,
                        std::size_t size, std::size_t blocks) {
  for (std::size_t i = 0; i < blocks; ++i, to += to_stride, from += from_stride) copy(to, from, size);
}

inline void check_pe(call_site at, int pe, bool near) {
  if (!near) static_cast<void>(find(at, pe));
}
template <class T>
constexpr apart apart_by(std::ptrdiff_t dst, std::ptrdiff_t sst) {
  return {dst * static_cast<std::ptrdiff_t>(sizeof(T)), sst * static_cast<std::ptrdiff_t>(sizeof(T))};
}

template <class T>
inline void ibput(call_site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
                  std::size_t nblocks, int pe) {
  peer p;
  const bool near = in_window(at, pe, p);
  if (bsize == 0 || nblocks == 0) return check_pe(at, pe, near);
  const std::size_t span = extent(at, "dst", dst, bsize, nblocks);
  extent(at, "sst", sst, bsize, nblocks);
  if (!near) [[unlikely]]
    return put_blocks_elsewhere(at, dest, source, apart_by<T>(dst, sst), bsize * sizeof(T), nblocks, pe);
  T* const to = there(at, p, "dest", dest, span * sizeof(T));
  copy_blocks(to, source, dst, sst, bsize, nblocks);
  wake(p.wakeup(), to, span * sizeof(T));
}

template <class T>
inline void ibget(call_site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
                  std::size_t nblocks, int pe) {
  peer p;
  const bool near = in_window(at, pe, p);
  if (bsize == 0 || nblocks == 0) return check_pe(at, pe, near);
  const std::size_t span = extent(at, "sst", sst, bsize, nblocks);
  extent(at, "dst", dst, bsize, nblocks);
  if (!near) [[unlikely]]
    return get_blocks_elsewhere(at, dest, source, apart_by<T>(dst, sst), bsize * sizeof(T), nblocks, pe);
  copy_blocks(dest, static_cast<const T*>(there(at, p, "source", source, span * sizeof(T))), dst, sst, bsize,
              nblocks);
  keep_loads_before();
}

template <class T>
inline void iput(call_site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n,
                 int pe) {
  ibput(at, dest, source, dst, sst, 1, n, pe);
}

template <class T>
inline void iget(call_site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n,
                 int pe) {
  ibget(at, dest, source, dst, sst, 1, n, pe);
}

}  // namespace oshen::op
