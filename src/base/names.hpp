// Environment variables that look like settings but are not: they are probably misspelt.
#pragma once

#include <span>

#include "base/settings.hpp"

namespace oshen {

// Prints a line for each OSHEN_ variable that no part of Oshen reads, and for each SHMEM_ or SMA_ variable whose name
// is close to that of a setting. Variables of other OpenSHMEM libraries are ignored.
void name_unknown_variables(std::span<const setting_row> table);

// The number of letters to insert, delete, replace or swap with the next one to turn `from` into `to`; `most` + 1 if it
// exceeds `most`.
int distance(const char* from, const char* to, int most);

}  // namespace oshen
