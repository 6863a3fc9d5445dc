// What a job left behind: processes that a PE started and did not wait for.
#pragma once

namespace oshrun {

// Orphans below this process become its children from now on (subreaper), also those that
// left the process group or the session.
void adopt_orphans();

// Kills all children of this process, and theirs in turn as they fall to us, until none is left.
// False when some could not be killed within two seconds.
bool end_descendants();

}  // namespace oshrun
