// The context that an operation uses, and the PE number to name on it.
#pragma once

#include "program.h"

enum route { ROUTE_NONE, ROUTE_DEFAULT, ROUTE_OWN, ROUTE_PRIVATE, ROUTE_TEAM, ROUTES };

void contexts_create(void);
void contexts_destroy(void);

// Starts sessions on some contexts, and ends those of others. `r` need not be the same on all PEs.
void contexts_sessions(struct random* r);

// Completes everything issued on any context but the default one.
void contexts_quiet(void);

// Chooses a route on which op->pe can reach op->target.
void plan_route(struct operation* op, struct random* r);

shmem_ctx_t route_context(const struct operation* op);
int route_pe(const struct operation* op);

// Fence and quiet of that context.
void route_fence(const struct operation* op);
