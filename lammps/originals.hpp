// LAMMPS' own remap functions, found at run time behind our replacements. Depends on the ABI of
// MPI: compiled once for each.
#pragma once

#include <mpi.h>

#include "geometry.hpp"

struct remap_plan_3d;  // LAMMPS': never looked into

namespace oshen::lammps {

// The arguments of remap_3d_create_plan after the communicator, in words.
struct request {
  block in;
  block out;
  int nqty;  // scalars in an element
  int permute;
  int memory;     // 1: the plan owns its scratch memory
  int precision;  // 1 float, 2 double
  int collective;
  int nonblocking;  // since late 2025; `no_such_argument` before
};
inline constexpr int no_such_argument = -1;

remap_plan_3d* original_create(MPI_Comm comm, const request& r);
template <class Scalar>
void original_remap(Scalar* in, Scalar* out, Scalar* scratch, remap_plan_3d* plan);
void original_destroy(remap_plan_3d* plan);

}  // namespace oshen::lammps
