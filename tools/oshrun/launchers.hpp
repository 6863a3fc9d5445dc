// Jobs on several hosts with an installed launcher: translates the options of oshrun into its command line.
#pragma once

#include <string>
#include <vector>

#include "oshrun/options.hpp"

namespace oshrun {

using words_t = std::vector<std::string>;

// The values of --launcher: "auto", "ssh" and the names in the table.
std::string launcher_names();

// The path of a program that may be executed, as execvp finds it; "" if there is none.
std::string in_path(const std::string& program);

// Chooses the requested launcher, or for "auto" the first that is installed, else "ssh". Exits with a line if the
// requested one is not installed.
struct chosen_launcher {
  std::string name, program;  // program: its path; "" for ssh
};
chosen_launcher choose_launcher(const std::string& requested);

// Replaces this process by the launcher. With asked.verbose prints the command first.
[[noreturn]] void exec_launcher(const chosen_launcher& launcher, const options& asked);

// The environment variables that go to every host: those of Oshen, OpenMP, libfabric and UCX, and the paths.
std::vector<std::string> variables_of_job();
// Quoting for a shell, of a word and of a command.
std::string shell_quoted(const std::string& word);
std::string shell_line(const words_t& command);

}  // namespace oshrun
