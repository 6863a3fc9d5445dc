// Checks whether every process of MPI_COMM_WORLD has loaded the accelerator. A collective call would hang if one has
// not.
#pragma once

namespace oshen::lammps {

struct presence {
  int present;  // processes that answered; known on rank 0, elsewhere 0 unless all are present
  int expected;
  bool all() const { return present == expected; }
};

// All callers get the same result of all(). Returns within a minute, and at once if all processes answer.
presence check_presence();

}  // namespace oshen::lammps
