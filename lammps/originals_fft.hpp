// LAMMPS' own FFT functions, found at run time behind their replacements. Depends on the ABI of MPI.
#pragma once

#include <mpi.h>

#include "geometry.hpp"

struct fft_plan_3d;  // defined by LAMMPS; opaque here

namespace oshen::lammps {

// The arguments of fft_3d_create_plan after the communicator.
struct transform_request {
  int extent[3];  // fast, mid, slow
  block in;
  block out;
  int scaled;
  int permute;  // storage of the output
  int collective;
  // Since late 2025. These are C functions, whose name does not depend on the number of arguments. Earlier versions
  // pass one argument less; the undefined value is passed on and never read.
  int nonblocking;
};

fft_plan_3d* original_fft_create(MPI_Comm comm, const transform_request& r, int* buffer_size);
void original_fft(void* in, void* out, int flag, fft_plan_3d* plan);
void original_fft_1d(void* data, int n, int flag, fft_plan_3d* plan);
void original_fft_destroy(fft_plan_3d* plan);

}  // namespace oshen::lammps
