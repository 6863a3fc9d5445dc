// What the user asked for on the command line.
#pragma once

#include <string>
#include <vector>

#include "oshrun/hosts.hpp"

namespace oshrun {

inline constexpr int most_pes = 32768;

enum class binding {
  automatic,  // an equal share of the usable CPUs for each PE, when every PE can have one
  none,       // leave the PEs where the kernel puts them
  core,       // exactly one CPU for each PE, round-robin when there are more PEs
};

// What neighbouring PEs are dealt to in turn, so that few of them share one: its caches, or its way to memory.
enum class dealing {
  none,    // neighbouring PEs on neighbouring cores
  socket,
  numa,
  l3,      // the CPUs of one last-level cache
};

// What stands between two ":": the PEs are numbered through all programs.
struct program {
  int n_pes = 0;
  std::vector<std::string> variables;  // VAR=VALUE; of the same name the last counts
  std::string directory;               // "" = where we are
  std::vector<std::string> command;    // program and its arguments
  std::string host;                    // not "": this is the ssh that has the PEs of a host (parts.hpp)
  int input = -1;                      // descriptor of its standard input; -1: as for every PE
};

struct options {
  std::vector<program> programs;
  int n_pes = 0;  // of all programs
  bool label = false;
  bool verbose = false;
  double timeout_seconds = 0;  // 0 = none
  binding bind = binding::automatic;
  dealing deal = dealing::none;
  std::string output_files;  // prefix of a file for each PE's output; "" = ours

  std::vector<host> hosts;       // empty: this machine
  std::string launcher, ssh;     // for several hosts; "": ssh as it is

  // In a part of a job over several hosts (parts.hpp): our PE 0 is PE `first_pe` of it.
  std::string on_host;           // what the user calls this machine; "" = this is no part
  int first_pe = 0;
  int n_pes_of_job = 0;

  // Which program PE `pe` runs.
  std::size_t program_of(int pe) const;
};

// Prints one line and leaves with status 2 when the arguments cannot be used; prints and leaves
// with 0 for --help and --version.
options read_options(int argc, char** argv);

}  // namespace oshrun
