// A remap plan as LAMMPS sees it: a handle behind which we, LAMMPS' own plan, or both do the work.
// Depends on the ABI of MPI.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "job.hpp"
#include "originals.hpp"

namespace oshen::lammps {

class remap {
 public:
  // Collective over `comm`. valid() is false when LAMMPS has failed where we need it.
  remap(job& owner, MPI_Comm comm, const request& r);
  ~remap();
  remap(const remap&) = delete;
  remap& operator=(const remap&) = delete;

  bool valid() const { return ours_ != nullptr || original_ != nullptr; }

  // Collective over the communicator. `out` may be `in`; `scratch` is for LAMMPS' own plan only.
  template <class Scalar>
  void run(Scalar* in, Scalar* out, Scalar* scratch);

 private:
  oshen_plan_t* plan_over(MPI_Comm comm);
  template <class Scalar>
  void run_both(Scalar* in, Scalar* out, Scalar* scratch);
  void settle();

  job& owner_;
  request request_;
  storage how_{};
  crew* crew_ = nullptr;
  oshen_plan_t* ours_ = nullptr;
  remap_plan_3d* original_ = nullptr;
};

}  // namespace oshen::lammps
