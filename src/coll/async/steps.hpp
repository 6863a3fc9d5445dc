// The steps that schedules are made of. None of them waits; what they read and write of other PEs is said in
// design/collectives.md.
#pragma once

#include "coll/async/operation.hpp"

namespace oshen::coll::async {

// Request flags.
outcome enter(queue& q, operation& op);          // tells the team that this PE has entered, with op.told bytes
outcome finish(queue& q, operation& op);         // ... that it needs nothing of the others any more
outcome all_entered(queue& q, operation& op);
outcome all_finished(queue& q, operation& op);

// Bytes that came with request flags.
outcome hear_root(queue& q, operation& op);      // broadcast
outcome hear_blocks(queue& q, operation& op);    // alltoall, fcollect
outcome combine_told(queue& q, operation& op);   // reduce: everybody all, in the order of the team

// Bytes in the memory of peers that have entered.
outcome copy_own(queue& q, operation& op);       // broadcast: the root's dest
outcome pull_root(queue& q, operation& op);      // broadcast
outcome pull_blocks(queue& q, operation& op);    // alltoall, fcollect
outcome combine_part(queue& q, operation& op);   // reduce: this PE's part of all sources, to all dests

}  // namespace oshen::coll::async
