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
#include "oshrun/options.hpp"
#include "oshrun/posix.hpp"
#include "oshrun/spawn.hpp"
#include "oshrun/verdict.hpp"

namespace oshrun {

class keeper {
 public:
  // `orders`: signal numbers from the front, end of file when it is gone. `stdin_of_pe_0`: not
  // open when PE 0 has the standard input of oshrun itself.
  keeper(const options& asked, const inherited& original, unique_fd orders,
         unique_fd stdin_of_pe_0);
  // The exit status of oshrun.
  int run();

 private:
  using clock = std::chrono::steady_clock;
  enum class stage { running, ending, killing, given_up };

  // keeper_start.cpp
  void start_all();
  bool start_one(int pe, const cpu_mask* cpus);
  void exec_failed();
  void fork_failed(int pe, int error);

  // keeper.cpp
  void wait_for_events();
  int milliseconds_to_sleep() const;
  void reap();
  void take_orders();
  void obey(int signal);
  void look();
  void check_deadlines();
  void end_job(const verdict& end, int first_signal, clock::duration grace);
  void kill_now();
  void signal_all(int signal);
  void report_time_out();
  void wait_for_output();

  const options& asked_;
  job job_;
  spawner spawner_;
  labeller labels_;
  unique_fd orders_, child_ended_, stdin_of_pe_0_, nothing_;
  std::vector<pe_process> pes_;
  std::unordered_map<pid_t, int> pe_of_;
  int alive_ = 0;
  stage stage_ = stage::running;
  verdict end_;  // valid once stage_ has left running
  std::optional<clock::time_point> time_out_at_, next_step_at_;
};

}  // namespace oshrun
