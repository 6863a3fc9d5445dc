// What the PEs of a job are doing, for the user: a line for each, or, of a crowd, for neighbours of which the same can
// be said.
#pragma once

#include <string>

#include "oshrun/job.hpp"

namespace oshrun {

class roster {
 public:
  // `crowd`: neighbours share a line.
  roster(job& all, bool crowd) : job_(all), crowd_(crowd) {}
  // In ascending order.
  void add(int pe);
  // After the last one.
  void print();

 private:
  struct line {
    int first = 0;
    int last = -1;
    std::string text;
    double seconds = 0;  // the longest wait of them; 0: they do not wait
  };
  line line_of(int pe);

  job& job_;
  bool crowd_;
  line open_;
};

}  // namespace oshrun
