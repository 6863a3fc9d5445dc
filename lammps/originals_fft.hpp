// LAMMPS' own FFT, found at run time behind our replacement. Depends on the ABI of MPI.
#pragma once

#include <mpi.h>

#include "geometry.hpp"

struct fft_plan_3d;  // LAMMPS': never looked into

namespace oshen::lammps {

// The arguments of fft_3d_create_plan after the communicator, in words.
struct transform_request {
  int extent[3];  // fast, mid, slow
  block in;
  block out;
  int scaled;
  int permute;  // how the output is stored
  int collective;
  // Since late 2025. These functions are C functions: one name for any number of arguments.
  // Versions before give one less; what is found here then is passed on, and nobody reads it.
  int nonblocking;
};

fft_plan_3d* original_fft_create(MPI_Comm comm, const transform_request& r, int* buffer_size);
void original_fft(void* in, void* out, int flag, fft_plan_3d* plan);
void original_fft_1d(void* data, int n, int flag, fft_plan_3d* plan);
void original_fft_destroy(fft_plan_3d* plan);

}  // namespace oshen::lammps
