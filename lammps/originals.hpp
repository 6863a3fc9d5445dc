// LAMMPS' own remap functions, found at run time behind their replacements. Depends on the ABI of MPI: compiled once
// for each.
#pragma once

#include <mpi.h>

#include <string>

#include "geometry.hpp"

struct remap_plan_3d;  // defined by LAMMPS; opaque here

namespace oshen::lammps {

// The arguments of remap_3d_create_plan after the communicator.
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

// Finds a function of LAMMPS by its mangled name; ends the job if there is none.
void* find_original(const std::string& mangled);

// The precision of LAMMPS' FFTs: 1 float, 2 double.
int lammps_precision();

// Whether LAMMPS is in this process but has none of the functions below, as an unknown version. Local, with the same
// result in all processes that run the same program.
bool lammps_is_unknown();

remap_plan_3d* original_create(MPI_Comm comm, const request& r);
template <class Scalar>
void original_remap(Scalar* in, Scalar* out, Scalar* scratch, remap_plan_3d* plan);
void original_destroy(remap_plan_3d* plan);

}  // namespace oshen::lammps
