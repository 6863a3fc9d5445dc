// Locks in first-come, first-served order (OpenSHMEM 1.6, 9.13): the queue lock of Mellor-Crummey and Scott
// (ACM TOCS 9(1), 1991), in one long per PE.
//
//   high half, on the lock's home PE only:  tail of the queue: PE + 1 of who came last, 0 = free
//   low half, on every PE:                  next in the queue + 1, and a bit that says "it is your turn"
#pragma once

#include "op/site.hpp"

namespace oshen::op {

void set_lock(site at, long* lock);
// 0: the lock is ours; 1: somebody has it.
int test_lock(site at, long* lock);
void clear_lock(site at, long* lock);

}  // namespace oshen::op
