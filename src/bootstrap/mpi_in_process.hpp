// Tells whether this program also uses MPI. The library does not link MPI: it looks up MPI's routines in the process.
#pragma once

namespace oshen::bootstrap {

bool mpi_is_loaded();
bool mpi_is_initialised();   // initialised and not finalized
bool mpi_was_initialised();  // initialised, perhaps finalized
// The major version of Open MPI; 0 if it is not loaded.
int open_mpi_version();

}  // namespace oshen::bootstrap
