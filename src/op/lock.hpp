// Locks in first-come, first-served order (OpenSHMEM 1.6, 9.13): the queue lock of Mellor-Crummey and Scott
// (ACM TOCS 9(1), 1991), in one long per PE.
//
//   high half, on the lock's home PE only:  tail of the queue: PE + 1 of who came last, 0 = free
//   low half, on every PE:                  next in the queue + 1; a bit that says "it is your turn", which another PE
//                                           sets; a bit that says "this PE found it free"; 0: this PE does not queue
//
// A PE that clears what it does not have, sets what it has, or finds what no queue has left there, gets a line.
#pragma once

#include "op/call_site.hpp"

namespace oshen::op {

void set_lock(call_site at, long* lock);
// 0: the lock is ours; 1: somebody has it.
int test_lock(call_site at, long* lock);
void clear_lock(call_site at, long* lock);

}  // namespace oshen::op
