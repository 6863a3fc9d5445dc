// How the PEs of a job find each other. A boot knows the number of PEs, passes small blobs round, holds a
// barrier and can end the job; it knows nothing of memory. It is used at start-up and shutdown only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "boot/job_page.hpp"

namespace oshen::boot {

class boot {
 public:
  int pe = 0;
  int n_pes = 1;
  const char* name = "single";
  // Which PEs can share memory, as the launcher sees it: the same number on PEs of one node, another on others. 0: it
  // does not know. A proposal only: whoever cannot map its neighbours' memory is on a node of its own
  // (world/locality.hpp).
  std::uint64_t node = 0;
  // After this many seconds a wait in here names itself, or ends the job; 0 = never.
  unsigned warn_seconds = 0;
  unsigned abort_seconds = 0;

  // Every PE gives `bytes` at `mine`; `all` receives n_pes times as many, in order of PE. Collective.
  virtual status allgather(const void* mine, void* all, std::size_t bytes) = 0;
  // Collective.
  virtual status barrier() = 0;
  // Ends every PE of the job. `quiet`: on request of the program, nothing went wrong.
  // Returns when the launcher will do it; the caller then leaves by itself.
  virtual void end_job(int exit_status, bool quiet) = 0;
  // True once another PE has ended the job: the caller is to leave with `exit_status`.
  virtual bool job_ending(int& exit_status) = 0;
  // Where this PE says what it waits for; null when nobody would read it.
  virtual activity* own_activity() = 0;
  // Between the first initialisation and the last finalize. May be joined again.
  virtual void set_state(pe_state state) = 0;

 protected:
  ~boot() = default;  // boots live as long as their job; nobody deletes one through this class
};

}  // namespace oshen::boot
