// The process managers that this process has initialised. It must finish them before it ends: a process manager takes
// the end of a process that has not finished it for a failure.
#pragma once

#include "bootstrap/process_manager.hpp"

namespace oshen::bootstrap {

// Registers an initialised manager. An MPI that is initialised in this process uses it, too, and finishes it, unless
// the manager counts its users.
void register_manager(process_manager& manager);

// To be called when the process ends with status 0, after all finalisation.
void finish_managers_at_exit();

// To be called when the PE is finalized. Finishes the managers unless an MPI is loaded, which may still need them.
void finish_managers();

}  // namespace oshen::bootstrap
