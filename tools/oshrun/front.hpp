// The process that the user started: it has the terminal and the signals, and waits for the keeper.
//
// The keeper, its child, has the job. Each watches the other: when the front is killed, its end of
// the orders pipe closes and the keeper ends the job; when the keeper is killed, the kernel kills
// the PEs, and their orphans fall to the front, which ends them. They are in different process
// groups, so that killing one group leaves the other alive.
#pragma once

#include <sys/types.h>

#include "oshrun/posix.hpp"

namespace oshrun {

// Signals that the front passes on; blocked in front and keeper.
void block_signals();

class front {
 public:
  // `orders`: signals go there, one byte each. `stdin_of_pe_0`: open when our stdin is a terminal,
  // which only the front may read (the PEs are in the background of it).
  front(pid_t keeper, unique_fd orders, unique_fd stdin_of_pe_0);
  // The exit status of oshrun.
  int run();

 private:
  void take_signals();
  void pump();
  bool in_foreground() const;
  int status_of_keeper() const;

  pid_t keeper_;
  unique_fd orders_, to_pe_0_, signals_;
};

}  // namespace oshrun
