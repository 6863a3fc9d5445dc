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

// What a PE does between fork and its program, as far as it can fail.
enum class step : int { signals, directory, streams, exec };

// Written by a PE that did not get to its program, in memory that it shares with the supervisor.
struct start_failure {
  std::atomic<int> error;  // an errno; 0 = none
  std::atomic<step> at;
  std::atomic<int> pe;
};

class spawner {
 public:
  // `bound`: the PEs get shares of the CPUs.
  spawner(const options& asked, const inherited& original, int job_descriptor, bool bound);

  // The PE's process, a member of group() that is killed when this process dies; -1 (errno) when
  // there is none. Whether it can execute the program shows later, in failure().
  pid_t start(int pe, const streams& io, const cpu_mask* cpus);
  pid_t group() const { return group_; }
  const start_failure& failure() const { return *failure_; }
  // What the PEs of a program are told about OpenMP: VAR=VALUE each.
  const std::vector<std::string>& openmp_of(std::size_t program) const { return images_[program].openmp; }

 private:
  // As execve wants it.
  struct image {
    std::vector<std::string> words, variables, openmp;
    std::vector<char*> arguments, environment;
  };
  image prepare(const program& part, int job_descriptor, bool bound) const;
  [[noreturn]] void become_pe(int pe, const streams& io, const cpu_mask* cpus);
  [[noreturn]] void fail(int pe, step at);

  const options& asked_;
  const inherited& original_;
  std::vector<image> images_;  // one for each program
  char pe_text_[32];           // OSHEN_PE=<pe>, first in each environment, rewritten for each PE
  start_failure* failure_;
  pid_t parent_;
  pid_t group_ = 0;  // the first PE leads the process group of all
};

}  // namespace oshrun
