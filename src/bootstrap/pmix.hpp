// PMIx, spoken by mpirun of Open MPI, prterun, Slurm's pmix plugin, jsrun and PALS. libpmix is opened at run time.
#pragma once

#include "bootstrap/pmix_abi.hpp"
#include "bootstrap/process_manager.hpp"
#include "os/thread.hpp"

namespace oshen::bootstrap {

class pmix final : public process_manager {
 public:
  constexpr pmix() { counts_users = true; }
  bool open(job_rank& mine, char (&reason)[reason_bytes]) override;
  status prepare(hub_address&) override { return status::ok; }
  status share(hub_address& of_pe_0, const job_rank& mine) override;
  void end_job(int exit_status) override;
  void finish() override;  // not earlier: Open MPI 4, if initialised later, needs the session

 private:
  bool load(char (&reason)[reason_bytes]);
  bool number(const char* key, std::uint32_t& result);
  std::uint64_t first_of_node();
  status wait_for_all();
  status report(const char* routine, int code);

  pmix_abi::routines library_{};
  pmix_abi::proc self_{};
  bool open_ = false;
  os::adopted_threads threads_;
  int published_ = 0;  // the number of keys used so far: each is used once
};

}  // namespace oshen::bootstrap
