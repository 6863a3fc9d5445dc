// A remap plan as LAMMPS sees it: a handle for an exchange plan, LAMMPS' own plan, or both. Depends on the ABI of MPI.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "job.hpp"
#include "originals.hpp"

namespace oshen::lammps {

class remap {
 public:
  // Collective over `comm`. valid() is false if LAMMPS' own plan is needed and could not be made.
  remap(job& owner, MPI_Comm comm, const request& r);
  ~remap();
  remap(const remap&) = delete;
  remap& operator=(const remap&) = delete;

  bool valid() const { return plan_ != nullptr || original_ != nullptr; }

  // Collective over the communicator. `out` may be `in`. Only LAMMPS' own plan uses `scratch`.
  template <class Scalar>
  void run(Scalar* in, Scalar* out, Scalar* scratch);

 private:
  oshen_plan_t* make_plan(MPI_Comm comm);
  template <class Scalar>
  void run_both(Scalar* in, Scalar* out, Scalar* scratch);
  void collect_stats();

  job& owner_;
  request request_;
  storage storage_{};
  rank_group* group_ = nullptr;
  oshen_plan_t* plan_ = nullptr;
  remap_plan_3d* original_ = nullptr;
};

}  // namespace oshen::lammps
