// The foreground process of oshrun: it has the terminal, receives signals, and waits for the supervisor.
//
// Its child, the supervisor, runs the job. Each process watches the other. If the foreground process is killed, its end
// of the signal pipe closes and the supervisor ends the job. If the supervisor is killed, the kernel kills the PEs; the
// foreground process inherits their orphans and kills them. The two are in different process groups, so that killing
// one group leaves the other process alive.
#pragma once

#include <sys/types.h>

#include "oshrun/posix.hpp"

namespace oshrun {

// Blocks the signals that are forwarded, in this process and in the supervisor, and returns a signalfd for them. Exits
// with a message on failure, because a job without signals could not be ended.
unique_fd block_signals();

class foreground {
 public:
  // `signals`: from block_signals(). `signal_pipe`: receives each signal number as one byte. `stdin_of_pe_0`: open if
  // standard input is a terminal. Only this process may read a terminal, because the PEs are in a background process
  // group.
  foreground(pid_t supervisor, unique_fd signals, unique_fd signal_pipe, unique_fd stdin_of_pe_0);
  // Standard input is the control pipe of a proxy (proxies.hpp): its end ends the job.
  void watch_control_pipe() { has_control_pipe_ = true; }
  // Returns the exit status of oshrun.
  int run();

 private:
  void take_signals();
  void pump();
  void check_control_pipe();
  bool in_foreground() const;
  int status_of_job(int supervisors_status) const;

  pid_t supervisor_;
  unique_fd signal_pipe_, to_pe_0_, signals_;
  bool has_control_pipe_ = false;
};

}  // namespace oshrun
