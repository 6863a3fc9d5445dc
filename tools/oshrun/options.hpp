// What the user asked for on the command line.
#pragma once

#include <string>
#include <vector>

namespace oshrun {

inline constexpr int most_pes = 32768;

enum class binding {
  automatic,  // an equal share of the usable CPUs for each PE, when every PE can have one
  none,       // leave the PEs where the kernel puts them
  core,       // exactly one CPU for each PE, round-robin when there are more PEs
};

struct options {
  int n_pes = 0;
  bool label = false;
  bool verbose = false;
  double timeout_seconds = 0;  // 0 = none
  binding bind = binding::automatic;
  std::vector<std::string> variables;  // VAR=VALUE
  std::string directory;               // "" = where we are
  std::vector<std::string> command;    // program and its arguments
};

// Prints one line and leaves with status 2 when the arguments cannot be used; prints and leaves
// with 0 for --help and --version.
options read_options(int argc, char** argv);

}  // namespace oshrun
