// Decides when a job ends, for which reason, and with which exit status.
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
  int wait_status = 0;  // from waitpid, valid if not alive
  bool ended_well() const { return !alive && wait_status == 0; }
};

enum class cause {
  all_ended,          // every PE exited with status 0.
  killed,             // a signal killed a PE.
  failed,             // a PE exited with a non-zero status.
  no_finalize,        // a PE exited with 0 between initialisation and finalize.
  never_initialised,  // a PE exited with 0 without initialising, while other PEs wait for it.
  requested,          // shmem_global_exit, or a fatal error of the library.
  stopped_by_signal,  // oshrun received a signal.
  timed_out,          // --timeout.
  abandoned,          // the foreground process of oshrun was killed.
  output_lost,        // the output of the PEs could not be forwarded.
  not_started,        // a program or process could not be started.
};

struct exit_reason {
  cause why = cause::all_ended;
  int exit_status = 0;
  int pe = -1;  // the PE that caused it, -1 if none
  pid_t pid = 0;
  int wait_status = 0;
  int others_alive = 0;  // number of other PEs that were running and were ended
  std::string reason;    // addition to the message, "" if nothing is known
};

// Checks a running job; returns nothing if it continues. If several PEs have ended, a killed PE takes precedence over
// an exit request, and that over an exit status.
std::optional<exit_reason> check_job(job& the_job, std::span<const pe_process> pes);

// One line for the user; empty if there is nothing to report.
std::string describe(const exit_reason& end, job& the_job, const options& asked);

}  // namespace oshrun
