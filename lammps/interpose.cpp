// The functions that replace those of LAMMPS and MPI: three of MPI and three of remap.h. Those of fft3d.h are in
// interpose_fft.cpp. All other symbols of this shared object are hidden. It depends on the ABI of MPI, whose functions
// stay undefined here and come from the program that loads it.
#include <mpi.h>

#include <memory>

#include "handle_table.hpp"
#include "interpose.hpp"
#include "job.hpp"
#include "remap.hpp"

using oshen::lammps::job;
using oshen::lammps::no_such_argument;
using oshen::lammps::remap;
using oshen::lammps::request;
using oshen::lammps::this_job;

namespace {

auto& plans() {
  static oshen::lammps::handle_table<remap_plan_3d, remap> table;
  return table;
}

remap_plan_3d* create(MPI_Comm comm, const request& r) {
  this_job().start_late();
  auto made = std::make_unique<remap>(this_job(), comm, r);
  if (!made->valid()) return nullptr;
  return plans().add(std::move(made));
}

template <class Scalar>
void run(Scalar* in, Scalar* out, Scalar* scratch, remap_plan_3d* plan) {
  remap* found = plans().find(plan);
  if (found == nullptr) return oshen::lammps::original_remap(in, out, scratch, plan);
  found->run(in, out, scratch);
}

}  // namespace

void oshen::lammps::destroy_remaps() { plans().clear(); }

// For LAMMPS up to 2025.
OSHEN_VISIBLE remap_plan_3d* remap_3d_create_plan(MPI_Comm comm, int ilo, int ihi, int jlo, int jhi, int klo, int khi,
                                                  int oilo, int oihi, int ojlo, int ojhi, int oklo, int okhi, int nqty,
                                                  int permute, int memory, int precision, int collective) {
  return create(comm, {{{ilo, jlo, klo}, {ihi, jhi, khi}},
                       {{oilo, ojlo, oklo}, {oihi, ojhi, okhi}},
                       nqty,
                       permute,
                       memory,
                       precision,
                       collective,
                       no_such_argument});
}

// For later versions.
OSHEN_VISIBLE remap_plan_3d* remap_3d_create_plan(MPI_Comm comm, int ilo, int ihi, int jlo, int jhi, int klo, int khi,
                                                  int oilo, int oihi, int ojlo, int ojhi, int oklo, int okhi, int nqty,
                                                  int permute, int memory, int precision, int collective,
                                                  int nonblocking) {
  return create(comm, {{{ilo, jlo, klo}, {ihi, jhi, khi}},
                       {{oilo, ojlo, oklo}, {oihi, ojhi, okhi}},
                       nqty,
                       permute,
                       memory,
                       precision,
                       collective,
                       nonblocking});
}

OSHEN_VISIBLE void remap_3d(double* in, double* out, double* scratch, remap_plan_3d* plan) {
  run(in, out, scratch, plan);
}

OSHEN_VISIBLE void remap_3d(float* in, float* out, float* scratch, remap_plan_3d* plan) { run(in, out, scratch, plan); }

OSHEN_VISIBLE void remap_3d_destroy_plan(remap_plan_3d* plan) {
  if (!plans().remove(plan)) oshen::lammps::original_destroy(plan);
}

extern "C" OSHEN_VISIBLE int MPI_Init(int* argc, char*** argv) {
  const int status = PMPI_Init(argc, argv);
  if (status == MPI_SUCCESS) this_job().start();
  return status;
}

extern "C" OSHEN_VISIBLE int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int status = PMPI_Init_thread(argc, argv, required, provided);
  if (status == MPI_SUCCESS) this_job().start();
  return status;
}

extern "C" OSHEN_VISIBLE int MPI_Finalize(void) {
  oshen::lammps::destroy_transforms();
  oshen::lammps::destroy_remaps();
  this_job().stop();
  return PMPI_Finalize();
}
