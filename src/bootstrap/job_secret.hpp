// A secret that all PEs of the job know, and that no stream between them carries. Transports prove membership with it.
#pragma once

#include "base/sip.hpp"

namespace oshen::bootstrap {

// 0 if the launcher has none. Its PEs are then on one machine, and exchange their addresses through its memory.
sip_key job_secret();
void set_job_secret(const sip_key& secret);

}  // namespace oshen::bootstrap
