// Visits every order of the steps that can make a difference: depth first, each order as a run of its own, with sleep
// sets and dynamic partial-order reduction (source sets).
#pragma once

#include "recording.hpp"
#include "start.hpp"

namespace explore {

// Returns the exit status. `order`: only this one, of a recording; nullptr: all.
int search(const processes& all, const request_of_user& asked, const recording* order);

}  // namespace explore
