// LAMMPS' own remap functions, found at run time behind our replacements. Depends on the ABI of
// MPI: compiled once for each.
#pragma once

#include <mpi.h>

#include <string>

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

// A function of LAMMPS by its mangled name; ends the job when there is none.
void* find_original(const std::string& mangled);

// Of its FFTs: 1 float, 2 double.
int lammps_precision();

// True when LAMMPS is in this process and has none of the functions below: a version that we do not
// know. Local; the same answer in all processes that run the same program.
bool lammps_is_unknown();

remap_plan_3d* original_create(MPI_Comm comm, const request& r);
template <class Scalar>
void original_remap(Scalar* in, Scalar* out, Scalar* scratch, remap_plan_3d* plan);
void original_destroy(remap_plan_3d* plan);

}  // namespace oshen::lammps
