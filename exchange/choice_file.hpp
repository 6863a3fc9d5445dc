// The file in which "auto" keeps its choices from job to job: one line per pattern, `key strategy seconds`, readable
// and editable by hand. The last line of a key counts.
#pragma once

#include <cstdint>

#include "group.hpp"
#include "strategy.hpp"

namespace oshen::exchange {

// A hash of the whole pattern. It is the same on all PEs, and in every job that makes the same plan on as many PEs.
// Collective.
std::uint64_t key_of(oshen_group& group, const oshen_plan_attr_t& attr);

// The index of the strategy that the group's PE 0 finds in the file, or -1. Collective. An unreadable file counts as
// empty.
int look_up(oshen_group& group, const char* file, std::uint64_t key);

// Appends a line; prints a message if that fails. Local.
void store(const char* file, std::uint64_t key, const strategy& chosen, double seconds);

}  // namespace oshen::exchange
