// Variables of the environment that look like settings and are none: probably misspelt.
#pragma once

#include <span>

#include "base/settings.hpp"

namespace oshen {

// A line for each: an OSHEN_ variable that no part of Oshen reads, and one of another prefix that is nearly a setting.
// Of the other variables of OpenSHMEM libraries nothing is said.
void name_unknown_variables(std::span<const setting_row> table);

// Letters to insert, drop, change or swap with the next to get from one name to the other; `most` + 1 if more than
// `most`.
int distance(const char* from, const char* to, int most);

}  // namespace oshen
