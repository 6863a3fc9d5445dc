// Locks in first-come, first-served order (OpenSHMEM 1.6, 9.13): the queue lock of Mellor-Crummey and Scott
// (ACM TOCS 9(1), 1991), in one long per PE.
//
//   high half, on the lock's home PE only:  the tail of the queue: last PE + 1; 0: the lock is free
//   low half, on every PE:                  the next PE in the queue + 1; the bit `turn`, set by the PE before; the bit
//                                           `held`, set if this PE found the lock free; 0: this PE is not in the queue
//
// It is an error to clear a lock that the PE does not hold, to set a lock that it holds, and to use a variable with any
// other value as a lock.
#pragma once

#include "op/call_site.hpp"

namespace oshen::op {

void set_lock(call_site at, long* lock);
// 0: the PE holds the lock now; 1: the lock was not free.
int test_lock(call_site at, long* lock);
void clear_lock(call_site at, long* lock);

}  // namespace oshen::op
