// Sessions (OpenSHMEM 1.6, 9.4.5): hints. On a node no operation is ever held back, so there is nothing to
// batch; what the program says is kept, as the standard prescribes, for a network to use.
#pragma once

#include <shmem.h>

#include "op/call_site.hpp"

namespace oshen::op {

void session_start(call_site at, long options, const shmem_ctx_session_config_t* config, long config_mask);
void session_stop(call_site at);

}  // namespace oshen::op
