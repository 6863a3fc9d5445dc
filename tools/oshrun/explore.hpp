// --explore, --record and --replay: replaces oshrun by the program, whose liboshen-explore runs the orders
// (tools/explore).
#pragma once

#include <optional>
#include <string>

namespace oshrun {

struct options;

// The options as the user wrote them.
struct explore_options {
  bool explore = false, any_output = false, races = false, has_n = false;
  std::optional<std::string> orders, random, record, replay, pause, trace;
  const char* others = nullptr;  // an option of other runs that was given too

  bool asked() const { return explore || replay || record; }
  bool only_records() const { return record && !explore && !replay; }
};

// Exits with a line if the options do not fit together.
void check_explore_options(const options& asked);

// Sets the variables that liboshen-explore reads, and runs the program of `asked` in the place of this process.
[[noreturn]] void run_exploration(const options& asked);

}  // namespace oshrun
