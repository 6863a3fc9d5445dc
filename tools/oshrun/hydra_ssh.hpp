// The ssh of MPICH's Hydra, which waits for ever for a host that ssh cannot reach. So oshrun tells Hydra to start this
// program in the place of ssh: it runs ssh, and ends Hydra with a line if ssh fails.
#pragma once

#include <string>
#include <vector>

namespace oshrun {

// False if a batch system or the user has chosen another way to other hosts, or Hydra could not pass on the path of
// this program. `ssh` is the value of --ssh, or "".
bool may_replace_hydra_ssh(const std::string& ssh);

// Makes a Hydra of MPICH that this process becomes start this program in the place of `ssh`. Returns the options for
// its command line.
std::vector<std::string> use_hydra_ssh(const std::string& ssh);

// Whether Hydra has started this process in the place of ssh.
bool is_hydra_ssh(int argc, char** argv);

// Runs ssh and returns its status.
int be_hydra_ssh(int argc, char** argv);

}  // namespace oshrun
