// Starting the PEs with fork and exec. vfork is no faster on an idle machine and twice as slow on
// a busy one, where the parent loses its turn to every child.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string>
#include <vector>

#include "oshrun/cpus.hpp"
#include "oshrun/options.hpp"

namespace oshrun {

// How oshrun found things when it was started; a PE gets them back.
struct inherited {
  struct disposition {
    int signal;
    struct sigaction action;
  };
  sigset_t blocked;
  std::array<disposition, 4> signals;
  rlimit descriptors;
};
// Remembers, then sets what oshrun needs: no end by a broken pipe, no stop by a terminal that is in
// somebody else's hands, children that can be waited for, many descriptors.
inherited take_over();

struct streams {
  int in, out, err;  // become 0, 1, 2 of the PE
};

// Written by a PE whose exec failed, in memory that it shares with the keeper.
struct exec_failure {
  std::atomic<int> error;  // an errno; 0 = none
};

class spawner {
 public:
  spawner(const options& asked, const inherited& original, int job_descriptor);

  // The PE's process, a member of group() that is killed when this process dies; -1 (errno) when
  // there is none. Whether it can execute the program shows later, in exec_error().
  pid_t start(int pe, const streams& io, const cpu_mask* cpus);
  pid_t group() const { return group_; }
  int exec_error() const { return failure_->error.load(); }

 private:
  [[noreturn]] void become_pe(const streams& io, const cpu_mask* cpus);

  const inherited& original_;
  std::vector<std::string> words_, variables_;
  std::vector<char*> arguments_, environment_;
  char pe_text_[32];  // OSHEN_PE=<pe>, first in environment_, rewritten for each PE
  exec_failure* failure_;
  pid_t parent_;
  pid_t group_ = 0;  // the first PE leads the process group of all
};

}  // namespace oshrun
