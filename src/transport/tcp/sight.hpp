// The connections whose arrivals the poll set of the shared engine leaves out. While a thread of the program polls,
// each of its calls of progress reads the likely connections anyway. If their arrivals do not make the poll set
// readable, no thread that blocks in it wakes in vain, and the kernel has less to do.
#pragma once

#include <array>
#include <atomic>

namespace oshen::transport::tcp {

struct tcp_connection;

// An entry may be null.
using likely_ones = std::array<tcp_connection*, 2>;

// engine::receiving guards all but sees_all().
class sight {
 public:
  // These are left out from now on, and all others are not. True if that is a change. Unless `at_once`, the same ones
  // must have been named several times in a row.
  bool leave_out(const likely_ones& likely, bool at_once);
  void watch_all();

  const likely_ones& left_out() const { return out_; }
  bool sees_all() const { return !leaves_out_.load(std::memory_order_relaxed); }

 private:
  bool has_named_often(const likely_ones& likely);

  std::atomic<bool> leaves_out_{false};
  likely_ones out_{}, named_{};
  int n_named_ = 0;
};

}  // namespace oshen::transport::tcp
