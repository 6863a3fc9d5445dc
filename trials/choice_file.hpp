// The file in which "auto" keeps its choices from job to job: one line per pattern, `key name seconds`, readable and
// editable by hand. A name is that of a strategy, or of a way of a transform. The last line of a key counts; lines of
// another form are ignored.
#pragma once

#include <cstdint>
#include <string>

namespace oshen::trials {

// The file of OSHEN_EXCHANGE_CHOICES: that of the user for this machine and release (auto), none (""), or a path.
std::string common_choice_file();

// The name in the last line of the key; empty if there is none. An unreadable file counts as empty.
std::string find_choice(const std::string& file, std::uint64_t key);

// Appends a line in one write, so that several jobs may store at the same time. If the file has become long, replaces
// it by its latest lines. `speaks`: prints a message if the file cannot be written.
// `name`: a word of less than longest_choice characters.
void store_choice(const std::string& file, std::uint64_t key, const std::string& name, double seconds, bool speaks);

}  // namespace oshen::trials
