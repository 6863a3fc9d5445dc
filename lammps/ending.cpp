// How a process ends: well, after MPI_Finalize or without it, or with an error. Depends on the ABI of MPI.
#include <mpi.h>

#include <cstdlib>

#include "entry.hpp"
#include "job.hpp"

namespace oshen::lammps {
namespace {

// After an error others may be anywhere, and LAMMPS has said what matters.
void at_exit(int status, void*) {
  if (status != EXIT_SUCCESS) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && this_job().all_have_ended()) {
    drop_transforms();
    drop_remaps();
    this_job().stop();
  }
  this_job().give_advice();
}

}  // namespace

// Exit handlers run in the reverse order, and static objects go where they were made: ours comes before the end of the
// tables of plans and of OpenSHMEM.
void prepare_for_the_end() {
  drop_transforms();
  drop_remaps();
  on_exit(at_exit, nullptr);
}

}  // namespace oshen::lammps
