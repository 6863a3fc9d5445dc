// The process that has the job: starts the PEs, watches them, ends them, leaves nothing behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <unordered_map>
#include <vector>

#include "oshrun/cpus.hpp"
#include "oshrun/job.hpp"
#include "oshrun/labels.hpp"
#include "oshrun/memory_kills.hpp"
#include "oshrun/options.hpp"
#include "oshrun/posix.hpp"
#include "oshrun/spawn.hpp"
#include "oshrun/exit_reason.hpp"

namespace oshrun {

class supervisor {
 public:
  // `orders`: signal numbers from the front, end of file when it is gone. `stdin_of_pe_0`: not
  // open when PE 0 has the standard input of oshrun itself.
  supervisor(const options& asked, const inherited& original, unique_fd orders,
         unique_fd stdin_of_pe_0);
  // The exit status of oshrun.
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
  void take_orders();
  void obey(int signal);
  void look();
  void check_deadlines();
  void end_job(const exit_reason& end, int first_signal, clock::duration grace);
  void kill_now();
  void signal_all(int signal);
  void report_time_out();
  void wait_for_output();
  void look_at_output();
  void explain_kill(exit_reason& found);
  void report_stuck();

  const options& asked_;
  const std::vector<cpu_mask> shares_;  // of the PEs; empty when they are not bound
  job job_;
  spawner spawner_;
  labeller labels_;
  unique_fd orders_, child_ended_, stdin_of_pe_0_, nothing_;
  memory_kills kills_before_;
  std::vector<pe_process> pes_;
  std::unordered_map<pid_t, int> pe_of_;
  int alive_ = 0;
  int failed_waits_ = 0;  // in a row
  bool abandoned_ = false;
  stage stage_ = stage::running;
  exit_reason end_;  // valid once stage_ has left running
  std::optional<clock::time_point> time_out_at_, next_step_at_;
};

}  // namespace oshrun
