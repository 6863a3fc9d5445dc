// The hosts of a job: --hosts and --hostfile.
#pragma once

#include <string>
#include <vector>

namespace oshrun {

struct host {
  std::string name;  // as the user wrote it: a name, an address, user@name
  int slots = 0;     // most PEs for this host; 0: not given
  int n_pes = 0;     // PEs assigned to it
};

// Parses "h1:4,h2". The slots of a host that occurs twice are added. On errors exits with status 2 and a line about
// `option`.
std::vector<host> read_hosts(const std::string& text, const char* option);
// Reads a file with one host on each line: "h1", "h1:4" or "h1 slots=4". # begins a comment.
std::vector<host> read_hostfile(const std::string& path);

// Assigns PEs to the hosts in order, up to their slots, or equal shares if no slots are given. n_pes = 0: one PE for
// each slot. Returns the number of PEs.
int assign_pes(std::vector<host>& hosts, int n_pes);

// Whether `host` is a name of this machine.
bool is_here(const std::string& host);
// The name without "user@".
std::string bare_name(const std::string& host);

}  // namespace oshrun
