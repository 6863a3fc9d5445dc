// Launchers that only set variables: Slurm's srun --mpi=none, torchrun and its like, oshrun over several hosts.
#pragma once

#include "boot/directory.hpp"

namespace oshen::boot {

class variables final : public directory {
 public:
  bool open(job_rank& mine, char (&reason)[reason_bytes]) override;
  status prepare(hub_address& mine) override;
  status share(hub_address& of_pe_0, const job_rank& mine) override;
  void end_job(int) override {}  // the PEs tell each other
  void leave() override {}
  void finish() override {}

 private:
  char host_[256] = "";  // of PE 0
  std::uint16_t port_ = 0;
  sip_key secret_{};
};

}  // namespace oshen::boot
