// Starts the PEs with fork and exec. vfork is no faster on an idle machine and takes twice as long on a busy one, where
// the parent loses the CPU to every child.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include "oshrun/options.hpp"
#include "shared/cpus.hpp"

namespace oshrun {

// Process state that oshrun changes for itself and restores in each PE.
struct inherited {
  struct disposition {
    int signal;
    struct sigaction action;
  };
  sigset_t blocked;
  std::array<disposition, 4> signals;
  rlimit descriptors;
};
// Saves that state, then ignores SIGPIPE, SIGTTIN and SIGTTOU, sets SIGCHLD to its default, and raises the limit of
// descriptors.
inherited adjust_process();
// Restores the signals in a child. False on failure (errno).
bool restore_signals(const inherited& original);

struct streams {
  int in, out, err;  // become 0, 1, 2 of the PE
};

// Steps of a PE between fork and exec that can fail.
enum class step : int { signals, directory, streams, exec };

// The failure of such a step, in memory that the PEs share with the supervisor.
struct start_failure {
  std::atomic<int> error;  // an errno; 0: none
  std::atomic<step> at;
  std::atomic<int> pe;
};

class spawner {
 public:
  // `bound`: the PEs are bound to CPUs. `held`: they stop at their first instruction.
  spawner(const options& asked, const inherited& original, int job_descriptor, bool bound, bool held);

  // Forks a PE, a member of group() that is killed when this process dies. Returns -1 (errno) if fork fails. failure()
  // reports later failures.
  pid_t start(int pe, const streams& io, const cpu_mask* cpus);
  pid_t group() const { return group_; }
  const start_failure& failure() const { return *failure_; }
  // The OpenMP variables of a program's PEs, VAR=VALUE each.
  const std::vector<std::string>& openmp_of(std::size_t program) const { return images_[program].openmp; }

 private:
  // Arguments and environment for execve.
  struct image {
    std::vector<std::string> words, variables, openmp;
    std::vector<char*> arguments, environment;
  };
  image prepare(const program& prog, int job_descriptor, bool bound) const;
  [[noreturn]] void exec_pe(int pe, const streams& io, const cpu_mask* cpus);
  [[noreturn]] void fail(int pe, step at);

  const options& asked_;
  const inherited& original_;
  std::vector<image> images_;  // one for each program
  char pe_text_[32];           // OSHEN_PE=<pe>: the first variable of each environment; changes for each PE
  start_failure* failure_;
  bool held_;
  pid_t parent_;
  pid_t group_ = 0;  // process group of all PEs; its leader is the first PE
};

}  // namespace oshrun
