// Strided and block-strided put and get (OpenSHMEM 1.6, 9.5.5 to 9.5.8). Strides count elements.
#pragma once

#include "op/rma.hpp"

namespace oshen::op {

// Elements from the first to one past the last of `blocks` blocks of `size` elements, `stride` apart.
// Bad strides end the job here.
std::size_t extent(site at, const char* argument, std::ptrdiff_t stride, std::size_t size,
                   std::size_t blocks);

template <class T>
inline void copy_blocks(T* to, const T* from, std::ptrdiff_t to_stride, std::ptrdiff_t from_stride,
                        std::size_t size, std::size_t blocks) {
  for (std::size_t i = 0; i < blocks; ++i, to += to_stride, from += from_stride) copy(to, from, size);
}

template <class T>
inline void ibput(site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
                  std::size_t nblocks, int pe) {
  const peer p = find(at, pe);
  if (bsize == 0 || nblocks == 0) return;
  const std::size_t span = extent(at, "dst", dst, bsize, nblocks);
  extent(at, "sst", sst, bsize, nblocks);
  copy_blocks(there(at, p, "dest", dest, span * sizeof(T)), source, dst, sst, bsize, nblocks);
  ring(p.bell());
}

template <class T>
inline void ibget(site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
                  std::size_t nblocks, int pe) {
  const peer p = find(at, pe);
  if (bsize == 0 || nblocks == 0) return;
  const std::size_t span = extent(at, "sst", sst, bsize, nblocks);
  extent(at, "dst", dst, bsize, nblocks);
  copy_blocks(dest, static_cast<const T*>(there(at, p, "source", source, span * sizeof(T))), dst, sst, bsize,
              nblocks);
}

template <class T>
inline void iput(site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe) {
  ibput(at, dest, source, dst, sst, 1, n, pe);
}

template <class T>
inline void iget(site at, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe) {
  ibget(at, dest, source, dst, sst, 1, n, pe);
}

}  // namespace oshen::op
