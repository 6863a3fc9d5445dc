// Orphans of a job: processes that a PE started and did not wait for.
#pragma once

namespace oshrun {

// Makes this process the parent of all orphans below it (subreaper), including those in other process groups or
// sessions.
void adopt_orphans();

// Kills all descendants of this process. False if some survive for two seconds.
bool end_descendants();

}  // namespace oshrun
