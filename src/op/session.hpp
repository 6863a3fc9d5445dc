// Sessions (OpenSHMEM 1.6, 9.4.5), which are hints. With SHMEM_CTX_SESSION_BATCH or the draft's SAME_AMO small
// operations on PEs of other nodes travel packed (transport/pack.hpp), unless the caller waits for a value. All other
// options are only stored, as the standard prescribes.
#pragma once

#include <shmem.h>

#include "op/call_site.hpp"

namespace oshen::op {

void session_start(call_site at, long options, const shmem_ctx_session_config_t* config, long config_mask);
void session_stop(call_site at);

}  // namespace oshen::op
