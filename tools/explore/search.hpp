// Visits every order of the steps that can make a difference: depth first, each order as a run of its own, with sleep
// sets and dynamic partial-order reduction (source sets).
#pragma once

#include "start.hpp"

namespace explore {

int search(const processes& all, const request_of_user& asked);  // returns the exit status

}  // namespace explore
