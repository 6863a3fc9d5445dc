// Launchers that only set environment variables: srun --mpi=none, torchrun and similar ones, oshrun --hosts.
#pragma once

#include "bootstrap/process_manager.hpp"

namespace oshen::bootstrap {

class variables final : public process_manager {
 public:
  bool open(job_rank& mine, char (&reason)[reason_bytes]) override;
  status prepare(hub_address& mine) override;
  status share(hub_address& of_pe_0, const job_rank& mine) override;
  void end_job(int) override {}  // the hub tells the PEs
  void finish() override {}

 private:
  char host_[256] = "";  // of PE 0
  std::uint16_t port_ = 0;
  sip_key secret_{};
};

}  // namespace oshen::bootstrap
