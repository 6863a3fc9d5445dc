// Is the accelerator in every process of MPI_COMM_WORLD? A collective call would wait for ever for
// one without it.
#pragma once

namespace oshen::lammps {

struct attendance {
  int present;  // processes that answered; known to rank 0, elsewhere 0 unless all are there
  int expected;
  bool all() const { return present == expected; }
};

// All callers get the same answer to all(). Returns within a minute, at once when everybody is
// there.
attendance roll_call();

}  // namespace oshen::lammps
