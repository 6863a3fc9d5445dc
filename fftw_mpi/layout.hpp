// The part of an array that each rank has, as in FFTW-MPI. Arithmetic only.
#pragma once

#include <cstddef>
#include <vector>

#include "oshen/fft.h"

namespace oshen::fftw_mpi {

// A range of the indices of one dimension.
struct range {
  std::ptrdiff_t low, size;
};

// Part of rank `rank`: equal blocks, of which the last ones may be shorter or empty. `block` 0 means n / ranks, rounded
// up.
range part_of(std::ptrdiff_t n, std::ptrdiff_t block, int ranks, int rank);

// Elements that a rank needs for its part before or after a transposition of the first two dimensions. `n` has two or
// more dimensions, and `blocks` the block sizes of the first two.
std::ptrdiff_t local_elements(const std::vector<std::ptrdiff_t>& n, const std::ptrdiff_t (&blocks)[2], int ranks,
                              int rank);

// The box of a rank in an array of two or three dimensions, which FFTW counts from the slowest. A transposed array is
// distributed along its second dimension, which is then the slowest one in memory.
oshen_fft_box_t box_of(const std::vector<std::ptrdiff_t>& n, bool transposed, int ranks, int rank);

}  // namespace oshen::fftw_mpi
