// PMIx: mpirun of Open MPI, prterun, Slurm's pmix plugin, jsrun, PALS. The library is opened at run time.
#pragma once

#include "boot/directory.hpp"
#include "boot/pmix_abi.hpp"

namespace oshen::boot {

class pmix final : public directory {
 public:
  constexpr pmix() { counts_users = true; }
  bool open(job_rank& mine, char (&reason)[reason_bytes]) override;
  status prepare(hub_address&) override { return status::ok; }
  status share(hub_address& of_pe_0, const job_rank& mine) override;
  void end_job(int exit_status) override;
  void leave() override {}  // Open MPI 4, initialised later, wants the session to stay open
  void finish() override;

 private:
  bool load(char (&reason)[reason_bytes]);
  bool number(const char* key, std::uint32_t& result);
  std::uint64_t first_of_node();
  status refused(const char* what, int code);

  pmix_abi::routines call_{};
  pmix_abi::proc self_{};
  bool open_ = false;
  int published_ = 0;  // shared so far: keys are used once
};

}  // namespace oshen::boot
