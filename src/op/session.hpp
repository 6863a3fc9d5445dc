// Sessions (OpenSHMEM 1.6, 9.4.5), which are hints. The library delays no operation, so it has nothing to batch. It
// stores the options, as the standard prescribes.
#pragma once

#include <shmem.h>

#include "op/call_site.hpp"

namespace oshen::op {

void session_start(call_site at, long options, const shmem_ctx_session_config_t* config, long config_mask);
void session_stop(call_site at);

}  // namespace oshen::op
