// Choices of "auto" that outlive a job: a text file with one line per pattern, `key strategy
// seconds`, to be read and edited by people too. The last line of a key counts.
#pragma once

#include <cstdint>

#include "group.hpp"
#include "strategy.hpp"

namespace oshen::exchange {

// A number for the whole pattern: the same on all PEs, and in every job that makes the same plan
// on as many PEs. Collective.
std::uint64_t key_of(oshen_group& group, const oshen_plan_attr_t& attr);

// The row that PE 0 of the group finds, or -1. Collective; an unreadable file is an empty one.
int look_up(oshen_group& group, const char* file, std::uint64_t key);

// Appends a line; says so when it cannot. Local.
void store(const char* file, std::uint64_t key, const strategy& row, double seconds);

}  // namespace oshen::exchange
