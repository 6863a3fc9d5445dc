// A PE's view of its launcher: the number of PEs, an allgather of small records, a barrier, and the end of the job. It
// knows nothing of memory. It is used only at start-up, at shutdown and to end the job.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "bootstrap/job_page.hpp"

namespace oshen::bootstrap {

class launcher {
 public:
  int pe = 0;
  int n_pes = 1;
  const char* name = "single";
  // The launcher's proposal of nodes: PEs of one node have the same number. 0: unknown. A PE that cannot map the memory
  // of its proposed node is on a node of its own (world/locality.hpp).
  std::uint64_t node = 0;
  // After this many seconds a wait in the launcher prints a warning, or ends the job; 0 = never.
  unsigned warn_seconds = 0;
  unsigned abort_seconds = 0;
  // If the launcher has a hub: the job ends if a PE has not connected after this many seconds; 0 = never.
  unsigned start_seconds = 0;

  // Collective. Every PE gives `bytes` bytes at `mine`; `all` receives those of all PEs, in order of PE.
  virtual status allgather(const void* mine, void* all, std::size_t bytes) = 0;
  // Collective.
  virtual status barrier() = 0;
  // Ends every PE of the job. `quiet`: the program asked for it, so no error is reported. If it returns, the launcher
  // will end the other PEs, and the caller ends itself.
  virtual void end_job(int exit_status, bool quiet) = 0;
  // True once another PE has ended the job: the caller must end with `exit_status`.
  virtual bool job_ending(int& exit_status) = 0;
  // The record in which this PE describes its waits; null if the launcher does not read it.
  virtual activity* own_activity() = 0;
  // Tells the launcher that the PE is initialised or finalized. A finalized PE may be initialised again.
  virtual void set_state(pe_state state) = 0;

 protected:
  ~launcher() = default;  // a launcher lives as long as its job and is never deleted through this class
};

}  // namespace oshen::bootstrap
