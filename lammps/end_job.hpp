// The end of all ranks, after a line on stderr that says why. Depends on the ABI of MPI.
#pragma once

#include <mpi.h>
#include <unistd.h>

namespace oshen::lammps {

// Launchers drop what they have not yet read of a rank that aborts: they get a moment for it.
inline void end_job() {
  constexpr useconds_t moment = 200'000;
  usleep(moment);
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace oshen::lammps
