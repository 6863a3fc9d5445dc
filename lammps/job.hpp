// The life of the accelerator in one process, from MPI_Init to MPI_Finalize. Depends on the ABI of MPI.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "fft_choices.hpp"
#include "oshen/exchange.h"
#include "report.hpp"

namespace oshen::lammps {

// Ranks that make plans together.
struct rank_group {
  std::vector<int> pes;         // by number in the communicator; the PE is the rank in MPI_COMM_WORLD
  oshen_group_t* group;         // null if it could not be made
  const char* why_unavailable;  // the reason in that case
};

class job {
 public:
  // Called directly after MPI is initialised. Collective over MPI_COMM_WORLD if every process calls it; limited in
  // time if some do not.
  void start();
  // The same when a plan is made and the accelerator has not seen MPI_Init, as in a Python program that loaded MPI
  // first. The end of MPI is then found through MPI as well.
  void start_late();
  // Called before MPI is finalised; collective likewise. Prints the banner. Only the first call after a start has an
  // effect.
  void stop();
  // For a process that ends without MPI_Finalize, like those of LAMMPS' Python module: whether all ranks are at their
  // end, so that stop() may be called. Limited in time.
  bool all_at_exit() const;
  // Prints advice about a run that accelerated nothing. Only after a successful end, because an error has its own
  // message.
  void print_advice();

  const run_mode& mode() const { return mode_; }
  bool carrying() const { return arena_ != nullptr; }
  oshen_arena_t* arena() const { return arena_; }

  // The group of the ranks of `comm`, made once for the same ranks in the same order. Collective over `comm`. Its
  // `group` is null on all ranks if it cannot be made.
  rank_group& group_of(MPI_Comm comm);

  // Records that a plan is left to LAMMPS. The rank with `prints`, one of those that make the plan, prints each reason
  // once.
  void left_to_lammps(const char* what, const std::string& why, bool prints);

  // Counts a plan of the accelerator by its strategy, and by where that came from.
  void count_strategy(const oshen_plan_t* plan) { strategies_.add(oshen_plan_strategy(plan), oshen_plan_source(plan)); }

  // Prints a line about a plan and its runs. Only rank 0 does.
  void print_plan(const oshen_plan_t* plan) const;

  // Adds the time that this process waited for data of a rank of MPI_COMM_WORLD.
  void add_wait(int rank, double seconds);

  counters counts;
  fft_choices choices;
  int transforming = 0;  // nesting depth of calls whose time counts as part of an FFT

 private:
  void check_processes();
  void read_mode();
  void open_arena();
  void report();

  run_mode mode_;
  bool started_ = false;
  bool all_present_ = false;  // every process of MPI_COMM_WORLD has the accelerator
  oshen_arena_t* arena_ = nullptr;
  std::vector<std::unique_ptr<rank_group>> groups_;
  refusal_reasons why_left_;
  strategy_counts strategies_;
  std::string advice_;         // printed when the process ends successfully
  std::vector<double> waits_;  // seconds, by rank of MPI_COMM_WORLD
};

// The job of this process.
job& this_job();

// Ends all ranks with an error, after the caller has printed the reason.
void end_job();

}  // namespace oshen::lammps
