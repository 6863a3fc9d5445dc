// The accelerator's life in one process: from MPI_Init to MPI_Finalize. Depends on the ABI of MPI.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "ledger.hpp"
#include "oshen/exchange.h"

namespace oshen::lammps {

class job {
 public:
  // Called when MPI has just been initialised; collective over MPI_COMM_WORLD if every process
  // calls it, bounded in time if some do not.
  void start();
  // The same, where a plan is made and nobody has told us of MPI_Init: a Python program that loaded
  // MPI before us. Then the end is found through MPI as well.
  void start_late();
  // Called before MPI is finalised; collective likewise. Prints the banner. Only the first call
  // after a start does anything.
  void stop();

  mode how() const { return how_; }
  bool carrying() const { return arena_ != nullptr; }

  // The group of the ranks of `comm`: made once for the same ranks in the same order. Collective
  // over `comm`; null on all ranks when it cannot be made.
  oshen_group_t* group_of(MPI_Comm comm);

  ledger counts;

 private:
  struct known_group {
    std::vector<int> pes;
    oshen_group_t* group;
  };

  void open_arena();
  void report() const;

  mode how_ = mode::on;
  bool started_ = false;
  bool together_ = false;  // every process of MPI_COMM_WORLD has the accelerator
  oshen_arena_t* arena_ = nullptr;
  std::vector<known_group> groups_;
};

// The one of this process.
job& this_job();

}  // namespace oshen::lammps
