#include "op/session.hpp"

#include "op/remote.hpp"

namespace oshen::op {

void session_start(call_site at, long options, const shmem_ctx_session_config_t* config, long config_mask) {
  if (at.ctx == nullptr) return;
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  auto* c = const_cast<context*>(at.ctx);  // the caller of a session owns the context
  c->session_options |= options;
  const bool batches = (options & SHMEM_CTX_SESSION_BATCH) != 0;
  if (batches && !c->is_packing && c->channel != nullptr) c->is_packing = remote::start_packing(*c);
  if ((config_mask & SHMEM_CTX_SESSION_TOTAL_OPS) == 0) return;
  if (config == nullptr)
    bad_argument(at, "config = NULL: expected a configuration, because config_mask is %ld", config_mask);
  c->session_total_ops = config->total_ops;
}

void session_stop(call_site at) {
  if (at.ctx == nullptr) return;
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  auto* c = const_cast<context*>(at.ctx);
  c->session_options = 0;
  if (c->is_packing) remote::stop_packing(at);
  c->is_packing = false;
  c->session_total_ops = SIZE_MAX;
}

}  // namespace oshen::op
