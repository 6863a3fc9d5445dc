// The process that the user started: it has the terminal and the signals, and waits for the supervisor.
//
// The supervisor, its child, has the job. Each watches the other: when the front is killed, its end of
// the orders pipe closes and the supervisor ends the job; when the supervisor is killed, the kernel kills
// the PEs, and their orphans fall to the front, which ends them. They are in different process
// groups, so that killing one group leaves the other alive.
#pragma once

#include <sys/types.h>

#include "oshrun/posix.hpp"

namespace oshrun {

// Blocks the signals that the front passes on, in front and supervisor; where the front reads them.
// Ends oshrun with a message when that cannot be had: nobody could end the job then.
unique_fd block_signals();

class front {
 public:
  // `signals`: from block_signals(). `orders`: they go there, one byte each. `stdin_of_pe_0`: open when our stdin is a
  // terminal, which only the front may read (the PEs are in the background of it).
  front(pid_t supervisor, unique_fd signals, unique_fd orders, unique_fd stdin_of_pe_0);
  // Standard input is a stream that ends when the job is to end (parts.hpp).
  void hold_leash() { on_leash_ = true; }
  // The exit status of oshrun.
  int run();

 private:
  void take_signals();
  void pump();
  void feel_leash();
  bool in_foreground() const;
  int status_of_job(int supervisors_status) const;

  pid_t supervisor_;
  unique_fd orders_, to_pe_0_, signals_;
  bool on_leash_ = false;
};

}  // namespace oshrun
