// A line on the terminal while a search goes on, with an estimate of its length.
#pragma once

#include <cstdint>

namespace explore {

class progress {
 public:
  progress();
  // `done`: the part of the known choices that is done. Writes a line once a second.
  void show(std::uint64_t orders, double done);
  void clear();

 private:
  bool is_terminal_, is_shown_ = false;
  double started_, next_;
};

}  // namespace explore
