// The PMI-1 wire protocol: Hydra (mpiexec of MPICH and of Intel MPI), Slurm's pmi2 plugin, Flux.
#pragma once

#include "boot/directory.hpp"

namespace oshen::boot {

class pmi1 final : public directory {
 public:
  bool open(job_rank& mine, char (&reason)[reason_bytes]) override;
  status prepare(hub_address&) override { return status::ok; }
  status share(hub_address& of_pe_0, const job_rank& mine) override;
  void end_job(int exit_status) override;
  // the stream stays open: Hydra takes its end for ours, and an MPI in this process may use it
  void leave() override {}
  void finish() override;

 private:
  bool connect(job_rank& mine, char (&reason)[reason_bytes]);
  bool inherit(int fd, job_rank& mine, char (&reason)[reason_bytes]);
  bool call(const char* where, job_rank& mine, char (&reason)[reason_bytes]);
  bool next_number(const char* key, int& value);
  bool ask(const char* request, const char* answer);
  bool read_line();
  const char* value_of(const char* key, char* text, std::size_t capacity) const;

  int fd_ = -1;
  char line_[8192] = "";
  std::size_t line_bytes_ = 0;   // of the line, its end included
  std::size_t read_bytes_ = 0;   // in line_
  char kvs_[256] = "";
  int published_ = 0;            // shared so far: keys are used once
};

}  // namespace oshen::boot
