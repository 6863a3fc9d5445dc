// The supervisor process: starts the PEs, watches them, ends them, and leaves nothing behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <unordered_map>
#include <vector>

#include "oshrun/debuggers.hpp"
#include "oshrun/exit_reason.hpp"
#include "oshrun/job.hpp"
#include "oshrun/labels.hpp"
#include "oshrun/memory_kills.hpp"
#include "oshrun/options.hpp"
#include "oshrun/posix.hpp"
#include "oshrun/spawn.hpp"
#include "shared/cpus.hpp"

namespace oshrun {

class supervisor {
 public:
  // `signal_pipe`: signal numbers from the foreground process; end of file when that has ended. `stdin_of_pe_0`: not
  // open if PE 0 has the standard input of oshrun itself.
  supervisor(const options& asked, const inherited& original, process_table& table, unique_fd signal_pipe,
             unique_fd stdin_of_pe_0);
  // Returns the exit status of oshrun.
  int run();

 private:
  using clock = std::chrono::steady_clock;
  enum class stage { running, ending, killing, stuck, given_up };

  // supervisor_start.cpp
  void start_all();
  bool start_one(int pe, const cpu_mask* cpus);
  bool direct_output(int pe, streams& io, pipe_ends& out, pipe_ends& err);
  void start_failed();
  void fork_failed(int pe, int error);

  // supervisor.cpp
  void wait_for_events();
  int milliseconds_to_sleep() const;
  void reap();
  void read_forwarded_signal();
  void handle_signal(int signal);
  void check_pes();
  void check_deadlines();
  void end_job(const exit_reason& end, int first_signal, clock::duration grace);
  void kill_now();
  void signal_all(int signal);
  void report_time_out();
  void wait_for_output();
  void report_output_errors();
  void explain_kill(exit_reason& found);
  void report_stuck();

  const options& asked_;
  process_table& table_;
  const std::vector<cpu_mask> shares_;  // CPUs of each PE; empty if the PEs are not bound
  job job_;
  spawner spawner_;
  labeller labels_;
  unique_fd signal_pipe_, child_ended_, stdin_of_pe_0_, dev_null_;
  memory_kills kills_before_;
  std::vector<pe_process> pes_;
  std::unordered_map<pid_t, int> pe_of_;
  int alive_ = 0;
  int failed_waits_ = 0;  // consecutive
  bool abandoned_ = false;
  stage stage_ = stage::running;
  exit_reason end_;  // valid when stage_ is no longer running
  std::optional<clock::time_point> time_out_at_, next_step_at_;
};

}  // namespace oshrun
