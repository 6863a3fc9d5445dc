// The end of a PE, as its launcher sees it: a session that is not closed makes an end look like a failure.
#pragma once

#include "boot/directory.hpp"

namespace oshen::boot {

// `launcher` has a session that is to be closed when this process has ended well, at the latest. An MPI in this process
// that has been initialised uses the same session, and closes it unless the session counts its users.
void close_at_end(directory& launcher);

// The process ends now, with status 0, after all that is finalised at its end.
void end_well();

// The PE is finalized. Without an MPI in the process nobody needs the sessions any more.
void announce_departure();

}  // namespace oshen::boot
