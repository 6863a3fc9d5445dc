// Conversion between handles and objects, for routines that return a value for an invalid team instead of ending the
// job.
#pragma once

#include "api/entry.hpp"

namespace oshen::api {

// The world. If the library is not initialised, it ends the process with an error.
world& require_world(const char* routine);

// Null for SHMEM_TEAM_INVALID. Any other invalid handle ends the job with an error.
team* team_or_none(shmem_team_t handle, const char* routine);
shmem_team_t handle_of(const team* t);

}  // namespace oshen::api
