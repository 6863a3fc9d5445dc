#include "op/session.hpp"

namespace oshen::op {

void session_start(call_site at, long options, const shmem_ctx_session_config_t* config, long config_mask) {
  if (at.ctx == nullptr) return;
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  auto* c = const_cast<context*>(at.ctx);  // the caller of a session owns the context
  c->session_options |= options;
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
  c->session_total_ops = SIZE_MAX;
}

}  // namespace oshen::op
