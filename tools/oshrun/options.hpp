// The command line of oshrun.
#pragma once

#include <string>
#include <vector>

#include "oshrun/explore.hpp"
#include "oshrun/hosts.hpp"

namespace oshrun {

inline constexpr int most_pes = 32768;

enum class binding {
  automatic,  // an equal share of the usable CPUs for each PE, if there are enough
  none,       // no binding
  core,       // one CPU for each PE; round-robin if there are more PEs than CPUs
};

// --map-by: the domains over which neighbouring PEs are distributed round-robin, to use all caches and memory channels.
enum class mapping {
  none,  // neighbouring PEs get neighbouring cores
  socket,
  numa,
  l3,  // CPUs that share a last-level cache
};

// One program of a command line "prog : prog". PEs are numbered across all programs.
struct program {
  int n_pes = 0;
  std::vector<std::string> variables;  // VAR=VALUE; the last of a name counts
  std::string directory;               // "": the current one
  std::vector<std::string> command;    // program and its arguments
  std::string host;                    // not "": this "program" is the ssh to a host (proxies.hpp)
  int input = -1;                      // descriptor of its standard input; -1: the usual one
};

struct options {
  std::vector<program> programs;
  int n_pes = 0;  // of all programs
  bool label = false;
  bool verbose = false;
  std::string gdb_program;     // the gdb of all PEs; "": none
  bool gdb_panes = false;      // a gdb for each PE, in a pane of tmux
  double timeout_seconds = 0;  // 0: none
  binding bind = binding::automatic;
  mapping map_by = mapping::none;
  std::string output_files;  // prefix of the output files of the PEs; "": standard output

  std::vector<host> hosts;    // empty: this machine only
  std::string launcher, ssh;  // for several hosts; ssh = "": the command ssh

  explore_options explored;

  // In a proxy (proxies.hpp), whose PE 0 is PE `first_pe` of the job:
  std::string on_host;  // the name of this host as the user wrote it; "": this is no proxy
  int first_pe = 0;
  int n_pes_of_job = 0;

  // The index of the program that PE `pe` runs.
  std::size_t program_of(int pe) const;
};

// Parses the command line. On errors prints one line and exits with status 2; for --help and --version prints and exits
// with 0.
options read_options(int argc, char** argv);

}  // namespace oshrun
