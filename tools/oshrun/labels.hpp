// -l: the output of all PEs as whole lines, each with its PE in front.
#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <thread>

#include "oshrun/posix.hpp"

namespace oshrun {

// A thread of its own, because our stdout may block for as long as its reader likes, and signals
// and the ends of PEs must not wait for that.
class labeller {
 public:
  labeller() = default;
  ~labeller();

  // What start() needs later; ends oshrun with a message when it cannot be had. Before any PE exists.
  void prepare();
  // The PE's output arrives on `from` and goes to `to` (1 or 2). Before start(). False: errno.
  bool add(int pe, unique_fd from, int to);
  bool start();  // false: no thread could be had
  // Why output could not be passed on, an errno, 0 = all is well; and where: writing to 1 or 2, or 0
  // for reading what the PEs wrote.
  int error() const { return error_.load(); }
  int failed_descriptor() const { return failed_.load(); }
  // Every stream has ended and all is written, or nothing ever will be; the descriptor is readable then.
  bool done() const { return all_done_.load(); }
  int done_fd() const { return done_.read.get(); }

 private:
  struct stream {
    std::string label;  // "[3] "
    unique_fd from;
    int to;
    std::string partial;  // the start of a line whose end has not come yet
  };
  void run();
  void forward_all();
  bool forward(stream& one);
  void end(stream& one);
  void tell_done();
  void note_failure(int descriptor);
  bool write_out(int to, const std::string& text);

  std::deque<stream> streams_;  // epoll knows their addresses
  unique_fd poll_;
  std::atomic<int> error_{0}, failed_{0};
  std::atomic<bool> all_done_{false};
  pipe_ends done_;
  std::thread thread_;
};

}  // namespace oshrun
