// Where the PEs of a job over several hosts are: --hosts and --hostfile.
#pragma once

#include <string>
#include <vector>

namespace oshrun {

struct host {
  std::string name;  // as the user wrote it: a name, an address, user@name
  int slots = 0;     // how many PEs it takes; 0 = nobody has said
  int n_pes = 0;     // how many it gets
};

// "h1:4,h2"; the same host twice has the slots of both. Leaves with status 2 and a line about `option`.
std::vector<host> read_hosts(const std::string& text, const char* option);
// One host a line, "h1", "h1:4" or "h1 slots=4"; # starts a comment.
std::vector<host> read_hostfile(const std::string& path);

// Gives each host its PEs, in order and as many as its slots; equal shares where nobody gave slots. n_pes = 0: as many
// as there are slots. The number of PEs.
int share_out(std::vector<host>& hosts, int n_pes);

// This machine, by one of its names.
bool is_here(const std::string& host);
// Without "user@".
std::string bare_name(const std::string& host);

}  // namespace oshrun
