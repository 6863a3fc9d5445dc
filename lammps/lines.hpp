// Lines on stderr. On a terminal a long line is broken between words. In a pipe or a file a message stays one line.
#pragma once

#include <cstddef>
#include <string>

namespace oshen::lammps {

// oshen-lammps sets it to the columns of its terminal, because stderr of a rank is a pipe to the launcher.
inline constexpr const char* columns_variable = "OSHEN_LAMMPS_COLUMNS";

// `text` in lines of at most `columns`, unless one word is longer. The rest of a broken line is indented. 0: unlimited.
std::string wrapped(const std::string& text, std::size_t columns);

// The columns of the terminal to which stderr leads; 0 if it does not lead to one.
std::size_t stderr_columns();

// Prints lines that are complete.
void print(const std::string& lines);

// Prints "oshen-lammps: " and a message.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

}  // namespace oshen::lammps
