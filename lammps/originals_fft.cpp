#include "originals_fft.hpp"

#include "originals.hpp"

namespace oshen::lammps {

fft_plan_3d* original_fft_create(MPI_Comm comm, const transform_request& r, int* buffer_size) {
  using create = fft_plan_3d* (*)(MPI_Comm, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
                                  int, int, int*, int, int);
  static const auto original = reinterpret_cast<create>(find_original("fft_3d_create_plan"));
  const auto& [il, ih] = r.in;
  const auto& [ol, oh] = r.out;
  return original(comm, r.extent[0], r.extent[1], r.extent[2], il[0], ih[0], il[1], ih[1], il[2], ih[2], ol[0], oh[0],
                  ol[1], oh[1], ol[2], oh[2], r.scaled, r.permute, buffer_size, r.collective, r.nonblocking);
}

void original_fft(void* in, void* out, int flag, fft_plan_3d* plan) {
  using run = void (*)(void*, void*, int, fft_plan_3d*);
  static const auto original = reinterpret_cast<run>(find_original("fft_3d"));
  original(in, out, flag, plan);
}

void original_fft_1d(void* data, int n, int flag, fft_plan_3d* plan) {
  using run = void (*)(void*, int, int, fft_plan_3d*);
  static const auto original = reinterpret_cast<run>(find_original("fft_1d_only"));
  original(data, n, flag, plan);
}

void original_fft_destroy(fft_plan_3d* plan) {
  using destroy = void (*)(fft_plan_3d*);
  static const auto original = reinterpret_cast<destroy>(find_original("fft_3d_destroy_plan"));
  original(plan);
}

}  // namespace oshen::lammps
