#include <shmemx.h>

#include "api/handle.hpp"
#include "op/remote.hpp"
#include "world/performance.hpp"
#include "world/team_heap.hpp"

namespace oshen::api {
namespace {

constexpr long known_options = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE | SHMEMX_CTX_REQUIRED;

int create(team& t, long options, shmem_ctx_t* ctx) {
  *ctx = SHMEM_CTX_INVALID;
  if ((options & ~known_options) != 0) return 1;
  context* c = t.home->contexts.make(t.ctx);
  if (c == nullptr) return 1;
  reach_team_heap(*c, *t.home);
  c->option_bits = options;
  if (c->channel != nullptr) op::remote::open_channel(*c, options);
  if ((options & SHMEMX_CTX_REQUIRED) != 0 && !op::remote::has_own_endpoint(*c)) {
    op::remote::close_channel(*c);
    t.home->contexts.drop(c);
    return 1;
  }
  count_context(*c);
  *ctx = reinterpret_cast<shmem_ctx_t>(c->handle);
  return 0;
}

}  // namespace

int ctx_create(const char* routine, long options, shmem_ctx_t* ctx) {
  return create(require_world(routine).team_world, options, ctx);
}

int team_create_ctx(const char* routine, shmem_team_t team, long options, shmem_ctx_t* ctx) {
  oshen::team* t = team_or_none(team, routine);
  *ctx = SHMEM_CTX_INVALID;
  return t != nullptr ? create(*t, options, ctx) : 1;
}

void ctx_destroy(const char* routine, shmem_ctx_t ctx) {
  if (ctx == SHMEM_CTX_INVALID) return;
  world& w = require_world(routine);
  if (ctx == SHMEM_CTX_DEFAULT) op::bad_argument(in_default(routine), "ctx: the default context cannot be destroyed");
  const op::call_site at = in(ctx, routine);
  op::quiet(at);
  auto* c = const_cast<context*>(at.ctx);
  op::remote::close_channel(*c);
  w.contexts.drop(c);
}

int ctx_get_team(const char* routine, shmem_ctx_t ctx, shmem_team_t* team) {
  *team = SHMEM_TEAM_INVALID;
  require_world(routine);
  if (ctx == SHMEM_CTX_INVALID) return 1;
  *team = handle_of(in(ctx, routine).ctx->members);
  return 0;
}

}  // namespace oshen::api
