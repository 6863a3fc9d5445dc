// The rules: when does a job end, why, and with which exit status.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include "oshrun/job.hpp"
#include "oshrun/options.hpp"

namespace oshrun {

struct pe_process {
  pid_t pid = 0;
  bool alive = false;
  int wait_status = 0;  // of waitpid, once it is no longer alive
  bool ended_well() const { return !alive && wait_status == 0; }
};

enum class cause {
  all_ended,     // every PE left with status 0
  killed,        // a PE died of a signal
  failed,        // a PE left with a status that is not 0
  left_early,    // a PE left with 0 between its initialisation and its finalize
  stayed_away,   // a PE left with 0 and never joined, while others did and would wait for it
  requested,     // shmem_global_exit, or a fatal error of the library
  told_to_stop,  // a signal to oshrun
  timed_out,
  abandoned,    // oshrun itself was killed
  output_lost,  // what the PEs wrote could not be passed on
  not_started,  // no such program, or no more processes to be had
};

struct exit_reason {
  cause why = cause::all_ended;
  int exit_status = 0;
  int pe = -1;  // which one brought it about
  pid_t pid = 0;
  int wait_status = 0;
  int others_alive = 0;  // how many PEs the exit reason ended
  std::string reason;    // more about why, "" when nothing is known
};

// Looks at a running job after some PE has ended (or from time to time); nothing = let it run.
// The first PE to be named is the one that explains most: a death, then a request, then a status.
std::optional<exit_reason> judge(job& the_job, std::span<const pe_process> pes);

// One line for the user; empty when there is nothing to report.
std::string describe(const exit_reason& end, job& the_job, const options& asked);

}  // namespace oshrun
