// The PMI-1 wire protocol, spoken by Hydra (mpiexec of MPICH and Intel MPI), Slurm's pmi2 plugin and Flux.
#pragma once

#include "bootstrap/process_manager.hpp"

namespace oshen::bootstrap {

class pmi1 final : public process_manager {
 public:
  bool open(job_rank& mine, char (&reason)[reason_bytes]) override;
  status prepare(hub_address&) override { return status::ok; }
  status share(hub_address& of_pe_0, const job_rank& mine) override;
  void end_job(int exit_status) override;
  // The stream stays open: Hydra takes a closed stream for the end of the process, and an MPI in this process may use
  // it.
  void finish() override;

 private:
  bool connect(job_rank& mine, char (&reason)[reason_bytes]);
  bool inherit(int fd, job_rank& mine, char (&reason)[reason_bytes]);
  bool dial(const char* host_and_port, job_rank& mine, char (&reason)[reason_bytes]);
  bool next_number(const char* key, int& value);
  bool ask(const char* request, const char* reply);
  bool read_line();
  bool wait_for_all();
  const char* value_of(const char* key, char* text, std::size_t capacity) const;

  int fd_ = -1;
  int most_milliseconds_ = -1;  // for a reply; -1: no limit
  char line_[8192] = "";
  std::size_t line_bytes_ = 0;  // of the current line, with its newline
  std::size_t read_bytes_ = 0;  // in line_
  char kvs_[256] = "";
  int published_ = 0;  // the number of keys used so far: each is used once
};

}  // namespace oshen::bootstrap
