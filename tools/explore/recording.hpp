// An order as a text file, for `oshrun --replay`: a line for each step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "account.hpp"

namespace explore {

struct recorded_step {
  actor who;
  std::string place;  // in the file of the program: "a.out+0x1234"
  std::string text;   // for people
};

struct recording {
  int n_pes = 0;
  std::int64_t clock = 0;  // start_of_clocks
  std::string ending;      // end_text
  std::vector<recorded_step> steps;
};

// False: the file cannot be written; errno says why.
bool write_recording(const std::string& file, const account& told, int n_pes);
// Ends the process with a line if the file is no recording.
recording read_recording(const std::string& file);

}  // namespace explore
