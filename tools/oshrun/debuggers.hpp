// Parallel debuggers. The MPIR interface is a table of the PEs in this process, by which DDT, TotalView and scripts of
// gdb find and attach to them. `oshrun --gdb` runs one gdb on all PEs, `--gdb=tmux` one on each. In all cases a PE
// stops at its first instruction until the debugger has attached.
#pragma once

#include <sys/types.h>

#include "oshrun/options.hpp"
#include "oshrun/spawn.hpp"

namespace oshrun {

// The table of MPIR, which the foreground process shares with the supervisor. There is one in a process.
class process_table {
 public:
  // Before the fork of the supervisor. Without PEs if the job has several hosts.
  explicit process_table(const options& asked);

  // A debugger has started oshrun, or oshrun starts one: PEs wait for it.
  bool holds_pes() const;

  // In the supervisor.
  void note_started(int pe, pid_t pid);
  void note_held();  // a PE stands at its first instruction

  // In the foreground process: waits for all PEs, lets the debugger attach, and lets the PEs continue.
  void debug(const inherited& original) const;

 private:
  struct progress;
  void run_gdb(const inherited& original) const;
  void open_gdb_panes() const;

  const options& asked_;
  progress* progress_ = nullptr;
};

// A child that calls this stops at the first instruction of the program that it executes; any process may attach to it.
void stop_at_exec();
// Handles the stop of such a child. True: it stands at its first instruction, and SIGCONT lets it continue.
bool hold_at_exec(pid_t pid, int wait_status);

}  // namespace oshrun
