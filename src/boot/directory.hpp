// What a launcher tells a process: which PE it is, of how many, on which node, and how PE 0 is reached.
// With that the PEs connect to each other (boot/wired.hpp) and need the launcher no more.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "boot/hub_address.hpp"

namespace oshen::boot {

// The launcher's opinion of one process. `node`: the same number on all PEs of a node, 0 when it does not say.
struct job_rank {
  int pe = 0;
  int n_pes = 0;
  std::uint64_t node = 0;
};

inline constexpr std::size_t reason_bytes = 256;

class directory {
 public:
  const char* name = "";
  // The session counts its users: an MPI in this process that closes it closes its own share only.
  bool counts_users = false;

  // Reaches the launcher and learns the place. False with the reason in words when it cannot.
  virtual bool open(job_rank& mine, char (&reason)[reason_bytes]) = 0;
  // On PE 0 before it listens: the port and the secret, where they are agreed upon beforehand. Else left alone.
  virtual status prepare(hub_address& mine) = 0;
  // PE 0's hub address comes to every PE. Collective.
  virtual status share(hub_address& of_pe_0, const job_rank& mine) = 0;
  // Asks the launcher to end the job; it may end this process at once.
  virtual void end_job(int exit_status) = 0;
  // The PEs have met: what the launcher was needed for is done.
  virtual void leave() = 0;
  // This PE is finalized: its end is no failure. Called once.
  virtual void finish() = 0;

 protected:
  ~directory() = default;
};

}  // namespace oshen::boot
