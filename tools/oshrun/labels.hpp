// -l: forwards the output of all PEs in whole lines, each with its PE in front.
#pragma once

#include <atomic>
#include <deque>
#include <string>
#include <thread>

#include "oshrun/posix.hpp"

namespace oshrun {

// Runs in its own thread, because standard output may block, and signals and the ends of PEs must be handled meanwhile.
class labeller {
 public:
  labeller() = default;
  ~labeller();

  // Allocates what start() needs; exits with a message on failure. Call it before any PE exists.
  void prepare();
  // Forwards `from`, the output of a PE, to descriptor `to` (1 or 2). Call it before start(). False: see errno.
  bool add(int pe, unique_fd from, int to);
  bool start();  // false: cannot create a thread
  // The errno of the first failure, 0 if there is none; and its descriptor: 1 or 2 for writing, 0 for reading from a
  // PE.
  int error() const { return error_.load(); }
  int failed_descriptor() const { return failed_.load(); }
  // All streams have ended and are written, or forwarding has failed. done_fd() is readable then.
  bool done() const { return all_done_.load(); }
  int done_fd() const { return done_.read.get(); }

 private:
  struct stream {
    std::string label;  // "[3] "
    unique_fd from;
    int to;
    std::string partial;  // the start of an incomplete line
  };
  void run();
  void forward_all();
  bool forward(stream& one);
  void end(stream& one);
  void tell_done();
  void note_failure(int descriptor);
  bool write_out(int to, const std::string& text);

  std::deque<stream> streams_;  // a deque, because epoll keeps the addresses of elements
  unique_fd poll_;
  std::atomic<int> error_{0}, failed_{0};
  std::atomic<bool> all_done_{false};
  pipe_ends done_;
  std::thread thread_;
};

}  // namespace oshrun
