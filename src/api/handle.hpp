// Between handles and objects, for the calls that treat an invalid handle as an answer, not as an error.
#pragma once

#include "api/entry.hpp"

namespace oshen::api {

// The world, or a line and the end of the process when there is none.
world& require_world(const char* routine);

// Null for SHMEM_TEAM_INVALID; a line and the end of the job for a handle that is none.
team* team_or_none(shmem_team_t handle, const char* routine);
shmem_team_t handle_of(const team* t);

}  // namespace oshen::api
