// Sessions with process managers, which must be closed before the process ends: a process manager takes the end of a
// process with an open session for a failure.
#pragma once

#include "bootstrap/process_manager.hpp"

namespace oshen::bootstrap {

// Registers an open session. An MPI that is initialised in this process uses the same session and closes it, unless the
// session counts its users.
void register_session(process_manager& manager);

// To be called when the process ends with status 0, after all finalisation.
void close_sessions_at_exit();

// To be called when the PE is finalized. Closes the sessions unless an MPI is loaded, which may still need them.
void close_sessions();

}  // namespace oshen::bootstrap
