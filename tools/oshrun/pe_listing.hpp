// Prints the activity of the PEs of a job, one line for each PE. In large jobs neighbouring PEs with the same activity
// share a line.
#pragma once

#include <string>

#include "oshrun/job.hpp"

namespace oshrun {

class pe_listing {
 public:
  // `merge`: neighbouring PEs may share a line.
  pe_listing(job& all, bool merge) : job_(all), merge_(merge) {}
  // Adds a PE, in ascending order.
  void add(int pe);
  // Prints the pending line. Call it after the last add().
  void print();

 private:
  struct line {
    int first = 0;
    int last = -1;
    std::string text;
    double seconds = 0;  // the longest wait of these PEs; 0: they do not wait
  };
  line line_of(int pe);

  job& job_;
  bool merge_;
  line open_;
};

}  // namespace oshrun
