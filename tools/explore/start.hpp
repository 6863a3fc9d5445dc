// The processes of a search. The program runs to its shmem_init as one process, the template. It forks the scheduler,
// which searches, and then one process for each PE of each order. So every order begins with the same memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "entry.hpp"

namespace explore {

// In shmem_init. Returns in a PE; the template and the scheduler end here.
void become_pe(explore_call call);

// The clocks of all PEs start at this time, in nanoseconds. 0: now.
void start_clocks(std::int64_t at);
std::int64_t start_of_clocks();
// Keeps this process, and those that it forks, on the CPU on which it runs.
void use_one_cpu();

// What the scheduler knows of the processes.
struct processes {
  shared_area* area = nullptr;
  int output[most_pes] = {}, errors[most_pes] = {};  // files with the output of each PE; -1: it is not kept
};

// The variables by which oshrun says what to do.
struct request_of_user {
  int n_pes = 0;
  std::uint64_t most_orders = 0;      // 0: all
  double most_seconds = 0;            // 0: any
  std::string record, replay, trace;  // files
  bool any_output = false;            // orders may differ in their output
  std::optional<std::uint64_t> seed;  // orders are chosen at random
  int pause = -1;                     // replay: this PE waits for a debugger
  bool every_order = false;           // without reduction, for tests
  bool races = false;                 // A race is a failure.
  bool only_one = false;              // Records one order at random.
  double patience = 20;               // seconds without a step
};

}  // namespace explore
