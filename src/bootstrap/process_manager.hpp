// The interface to a process manager (PMI-1, PMIx, environment variables). It tells a process its rank, and carries the
// address of PE 0 to all PEs. With that address the PEs connect to PE 0's hub (bootstrap/hub_client.hpp), and no longer
// need the process manager.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "bootstrap/wire.hpp"

namespace oshen::bootstrap {

// The PE number of a process, and the size of its job. `node` is the same number on all PEs of a node; 0 if the process
// manager does not tell.
struct job_rank {
  int pe = 0;
  int n_pes = 0;
  std::uint64_t node = 0;
};

inline constexpr std::size_t reason_bytes = 256;

class process_manager {
 public:
  const char* name = "";
  // The session counts its users, so that it stays open for the library when an MPI in this process closes it.
  bool counts_users = false;
  unsigned start_seconds = 0;  // longest wait for the other processes at start-up; 0 = no limit

  // Connects to the process manager and gets the rank. False on failure, with the reason in words.
  virtual bool open(job_rank& mine, char (&reason)[reason_bytes]) = 0;
  // On PE 0, before it listens: sets the port and the secret if they are agreed upon beforehand.
  virtual status prepare(hub_address& mine) = 0;
  // Collective. Carries PE 0's hub address to every PE.
  virtual status share(hub_address& of_pe_0, const job_rank& mine) = 0;
  // Asks the process manager to end the job. It may end this process at once.
  virtual void end_job(int exit_status) = 0;
  // Closes the session: from now on the end of this process is not a failure. Called once.
  virtual void finish() = 0;

 protected:
  ~process_manager() = default;
};

}  // namespace oshen::bootstrap
