// Jobs over several hosts by the launcher that is installed: its command line for what the user asked of us.
#pragma once

#include <string>
#include <vector>

#include "oshrun/options.hpp"

namespace oshrun {

using words_t = std::vector<std::string>;

// The names that --launcher takes: "auto", "ssh" and those of the table.
std::string launcher_names();

// The name of the launcher to use: the one that was asked for, or the first that is here; "ssh" when none is.
// Leaves with a line when the one that was asked for is not here.
struct chosen_launcher {
  std::string name, program;  // program: path; "" for ssh
};
chosen_launcher choose_launcher(const std::string& wish);

// Becomes that launcher; returns never. With `verbose` the command is shown first.
[[noreturn]] void become(const chosen_launcher& launcher, const options& asked);

// The variables that belong to a job and go to every host: ours, OpenMP's, the fabrics', the paths.
std::vector<std::string> variables_of_job();
// For a shell.
std::string quoted(const std::string& word);
std::string as_typed(const words_t& command);

}  // namespace oshrun
