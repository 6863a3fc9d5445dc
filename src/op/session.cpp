#include "op/session.hpp"

#include <shmemx.h>

#include "op/remote.hpp"

namespace oshen::op {
namespace {

// Threads may start and stop sessions of one context at once. The channel counts its sessions, and a context has at
// most one.
void start_packing(context& c) {
  const std::atomic_ref is_packing(c.is_packing);
  if (is_packing.load() || !remote::start_packing(c)) return;
  if (is_packing.exchange(true)) transport::session_packs::end_session(*c.channel);
}

}  // namespace

void session_start(call_site at, long options, const shmem_ctx_session_config_t* config, long config_mask) {
  if (at.ctx == nullptr) return;
  if (at.ctx->n_pes == 0) bad_pe(at, 0);
  auto* c = const_cast<context*>(at.ctx);  // the caller of a session owns the context
  c->session_options |= options;
  const bool batches = (options & (SHMEM_CTX_SESSION_BATCH | SHMEMX_CTX_SESSION_SAME_AMO)) != 0;
  if (batches && c->channel != nullptr) start_packing(*c);
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
  if (std::atomic_ref(c->is_packing).exchange(false)) remote::stop_packing(at);
  c->session_total_ops = SIZE_MAX;
}

}  // namespace oshen::op
