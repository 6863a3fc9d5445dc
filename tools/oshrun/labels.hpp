// -l: the output of all PEs as whole lines, each with its PE in front.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "oshrun/posix.hpp"

namespace oshrun {

// A thread of its own, because our stdout may block for as long as its reader likes, and signals
// and the ends of PEs must not wait for that.
class labeller {
 public:
  labeller() = default;
  ~labeller();

  // The PE's output arrives on `from` and goes to `to` (1 or 2). Before start().
  void add(int pe, unique_fd from, int to);
  void start();
  // Readable once every stream has ended and all is written; -1 before start().
  int done_fd() const { return done_.read.get(); }

 private:
  struct stream {
    std::string label;  // "[3] "
    unique_fd from;
    int to;
    std::string partial;  // the start of a line whose end has not come yet
  };
  void run();
  bool forward(stream& one);
  void end(stream& one);

  std::vector<stream> streams_;
  pipe_ends done_;
  std::thread thread_;
};

}  // namespace oshrun
