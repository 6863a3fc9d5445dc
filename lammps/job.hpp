// The accelerator's life in one process: from MPI_Init to MPI_Finalize. Depends on the ABI of MPI.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "choices.hpp"
#include "ledger.hpp"
#include "oshen/exchange.h"
#include "reasons.hpp"

namespace oshen::lammps {

// Ranks that make plans together.
struct crew {
  std::vector<int> pes;  // number in the communicator -> PE, which is the rank in MPI_COMM_WORLD
  oshen_group_t* group;  // null when it could not be made
  const char* why_not;   // then
  choices chosen;
};

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
  // For a process that ends without MPI_Finalize, as those of LAMMPS' Python module do: may stop() be called? Are all
  // ranks at their end? Bounded in time.
  bool all_have_ended() const;
  // What a run that did nothing should know. Said when it ends well: an error has its own words.
  void give_advice();

  const mode& how() const { return how_; }
  bool carrying() const { return arena_ != nullptr; }
  oshen_arena_t* arena() const { return arena_; }

  // The ranks of `comm`: made once for the same ranks in the same order. Collective over `comm`;
  // its group is null on all ranks when it cannot be made.
  crew& crew_of(MPI_Comm comm);

  // A plan is left to LAMMPS, and why. The `speaker`, one of those who make the plan, says each reason once.
  void left_to_lammps(const char* what, const std::string& why, bool speaker);

  // A rank of MPI_COMM_WORLD whose data this one has waited for.
  void waited_for(int rank, double seconds);

  ledger counts;
  int transforming = 0;  // depth of calls that count as part of an FFT

 private:
  void come_together();
  void read_mode();
  void open_arena();
  void report();
  std::string strategies_used() const;

  mode how_;
  bool started_ = false;
  bool together_ = false;  // every process of MPI_COMM_WORLD has the accelerator
  oshen_arena_t* arena_ = nullptr;
  std::vector<std::unique_ptr<crew>> crews_;
  reasons why_left_;
  std::string advice_;  // for the end of the process, if it is a good one
  std::vector<double> waited_;  // by rank of MPI_COMM_WORLD
};

// The one of this process.
job& this_job();

}  // namespace oshen::lammps
