// Whether this program also uses MPI. Nothing of MPI is linked: its routines are looked for where the program has them.
#pragma once

namespace oshen::boot {

bool mpi_is_loaded();
bool mpi_is_initialised();   // and not yet finalized
bool mpi_was_initialised();  // at some time
// Open MPI's major version; 0: no Open MPI, or none loaded.
int open_mpi_version();

}  // namespace oshen::boot
