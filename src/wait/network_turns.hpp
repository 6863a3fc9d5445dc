// Selects the tests of a wait that call the network, where a card brings the awaited data.
#pragma once

#include <cstdint>

namespace oshen {

// Most of these tests need no call. But messages for this PE are served by calls only, and may come from PEs that wait.
// So a call is also due when tests take long. A thread has its own.
class network_turns {
 public:
  // True if the test at the time `now` calls: the first one, the `tests`-th after a call, and the next one when
  // `longest_ns` have passed since the last call.
  bool is_next(unsigned tests, std::uint64_t now, std::uint64_t longest_ns) {
    if (tests_ != 0 && tests_ < tests && now - called_ < longest_ns) {
      ++tests_;
      return false;
    }
    tests_ = 1;
    called_ = now;
    return true;
  }
  // To be called when a call has found something to do: the next test calls again.
  void go_on() { tests_ = 0; }

 private:
  std::uint64_t called_ = 0;  // time of the last call
  std::uint64_t tests_ = 0;   // since that call, its own included; 0: the next test calls
};

}  // namespace oshen
