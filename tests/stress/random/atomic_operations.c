// Atomics: exclusive ones, whose fetched value is checked, and many PEs at once on one object with
// updates that commute. Counters under a lock are the latter with plain gets and puts.
#include <string.h>
#include "contexts.h"

enum { ADD, AND, OR, XOR, COMMUTING, LOCKED = COMMUTING };  // claim classes; one more per lock

// ---- commuting
// -----------------------------------------------------------------------------------------------

static uint64_t combine(int class, uint64_t old, uint64_t value) {
  switch (class) {
    case AND: return old & value;
    case OR: return old | value;
    case XOR: return old ^ value;
    default: return old + value;
  }
}

static int plan_commuting(struct operation* op, struct random* r) {
  plan_route(op, r);
  op->variant = random_int(r, COMMUTING);
  op->width = random_int(r, 2) ? 8 : 4;
  op->count = (size_t)random_int(r, 2);  // whether to use the fetching form
  op->value = random_word(r);
  op->dest = random_cell(r);
  if (random_int(r, 3)) op->dest.offset = data_bytes + op->dest.offset % 32 / 8 * 8;  // a few contended objects
  return claim_class(op->target, op->dest, 8, op->variant * 2 + (op->width == 8));
}
static void model_commuting(const struct operation* op) {
  uint64_t old = 0;
  memcpy(&old, model_at(op->target, op->dest), op->width);
  const uint64_t now = combine(op->variant, old, op->value);
  model_write(op, op->target, op->dest, &now, op->width);  // little-endian: the low bytes
}
static void run_commuting_64(const struct operation* op, shmem_ctx_t ctx, uint64_t* dest, int pe) {
  const uint64_t v = op->value;
  switch (op->variant * 2 + (int)op->count) {
    case ADD * 2: shmem_ctx_uint64_atomic_add(ctx, dest, v, pe); break;
    case ADD * 2 + 1: (void)shmem_ctx_uint64_atomic_fetch_add(ctx, dest, v, pe); break;
    case AND * 2: shmem_ctx_uint64_atomic_and(ctx, dest, v, pe); break;
    case AND * 2 + 1: (void)shmem_ctx_uint64_atomic_fetch_and(ctx, dest, v, pe); break;
    case OR * 2: shmem_ctx_uint64_atomic_or(ctx, dest, v, pe); break;
    case OR * 2 + 1: (void)shmem_ctx_uint64_atomic_fetch_or(ctx, dest, v, pe); break;
    case XOR * 2: shmem_ctx_uint64_atomic_xor(ctx, dest, v, pe); break;
    default: (void)shmem_ctx_uint64_atomic_fetch_xor(ctx, dest, v, pe); break;
  }
}
static void run_commuting_32(const struct operation* op, shmem_ctx_t ctx, uint32_t* dest, int pe) {
  const uint32_t v = (uint32_t)op->value;
  switch (op->variant * 2 + (int)op->count) {
    case ADD * 2: shmem_ctx_uint32_atomic_add(ctx, dest, v, pe); break;
    case ADD * 2 + 1: (void)shmem_ctx_uint32_atomic_fetch_add(ctx, dest, v, pe); break;
    case AND * 2: shmem_ctx_uint32_atomic_and(ctx, dest, v, pe); break;
    case AND * 2 + 1: (void)shmem_ctx_uint32_atomic_fetch_and(ctx, dest, v, pe); break;
    case OR * 2: shmem_ctx_uint32_atomic_or(ctx, dest, v, pe); break;
    case OR * 2 + 1: (void)shmem_ctx_uint32_atomic_fetch_or(ctx, dest, v, pe); break;
    case XOR * 2: shmem_ctx_uint32_atomic_xor(ctx, dest, v, pe); break;
    default: (void)shmem_ctx_uint32_atomic_fetch_xor(ctx, dest, v, pe); break;
  }
}
static void run_commuting(const struct operation* op) {
  if (op->pe != me) return;
  if (op->width == 8)
    run_commuting_64(op, route_context(op), here(op->dest), route_pe(op));
  else
    run_commuting_32(op, route_context(op), here(op->dest), route_pe(op));
}

// ---- exclusive: the old value goes to `result`
// -----------------------------------------------------------------

enum { FETCH, SET, SWAP, CSWAP_HIT, CSWAP_MISS, INC, FETCH_INC, FETCH_ADD, EXCLUSIVE };

static int plan_exclusive(struct operation* op, struct random* r) {
  plan_route(op, r);
  op->variant = random_int(r, EXCLUSIVE);
  op->count = (size_t)random_int(r, 2);  // whether to use the nonblocking form
  op->value = random_word(r);
  op->dest = random_cell(r);
  op->result = random_local(r, 8, 8);
  if (!claim_write(op->target, op->dest, 8) || !claim_write(op->pe, op->result, 8)) return 0;
  // No other operation touches the cell in this phase, so its value is known.
  memcpy(&op->condition, model_at(op->target, op->dest), 8);
  if (op->variant == CSWAP_MISS) op->condition ^= 1;
  return 1;
}
static void model_exclusive(const struct operation* op) {
  uint64_t old, now;
  memcpy(&old, model_at(op->target, op->dest), 8);
  switch (op->variant) {
    case SET:
    case SWAP:
    case CSWAP_HIT: now = op->value; break;
    case INC:
    case FETCH_INC: now = old + 1; break;
    case FETCH_ADD: now = old + op->value; break;
    default: now = old; break;
  }
  model_write(op, op->target, op->dest, &now, 8);
  if (op->variant != SET && op->variant != INC) model_write(op, op->pe, op->result, &old, 8);
}
static void run_exclusive_nbi(const struct operation* op, shmem_ctx_t ctx, uint64_t* cell, int pe) {
  uint64_t* old = here(op->result);
  switch (op->variant) {
    case FETCH: shmem_ctx_uint64_atomic_fetch_nbi(ctx, old, cell, pe); break;
    case SWAP: shmem_ctx_uint64_atomic_swap_nbi(ctx, old, cell, op->value, pe); break;
    case FETCH_INC: shmem_ctx_uint64_atomic_fetch_inc_nbi(ctx, old, cell, pe); break;
    case FETCH_ADD: shmem_ctx_uint64_atomic_fetch_add_nbi(ctx, old, cell, op->value, pe); break;
    default: shmem_ctx_uint64_atomic_compare_swap_nbi(ctx, old, cell, op->condition, op->value, pe); break;
  }
}
static void run_exclusive_blocking(const struct operation* op, shmem_ctx_t ctx, uint64_t* cell, int pe) {
  uint64_t* old = here(op->result);
  switch (op->variant) {
    case FETCH: *old = shmem_ctx_uint64_atomic_fetch(ctx, cell, pe); break;
    case SET: shmem_ctx_uint64_atomic_set(ctx, cell, op->value, pe); break;
    case SWAP: *old = shmem_ctx_uint64_atomic_swap(ctx, cell, op->value, pe); break;
    case INC: shmem_ctx_uint64_atomic_inc(ctx, cell, pe); break;
    case FETCH_INC: *old = shmem_ctx_uint64_atomic_fetch_inc(ctx, cell, pe); break;
    case FETCH_ADD: *old = shmem_ctx_uint64_atomic_fetch_add(ctx, cell, op->value, pe); break;
    default: *old = shmem_ctx_uint64_atomic_compare_swap(ctx, cell, op->condition, op->value, pe); break;
  }
}
static void run_exclusive(const struct operation* op) {
  if (op->pe != me) return;
  const int fetches = op->variant != SET && op->variant != INC;
  if (op->count && fetches)
    run_exclusive_nbi(op, route_context(op), here(op->dest), route_pe(op));
  else
    run_exclusive_blocking(op, route_context(op), here(op->dest), route_pe(op));
}

// ---- under a lock: read, add, write
// -----------------------------------------------------------------------------

static long locks[lock_count];

static int plan_locked(struct operation* op, struct random* r) {
  op->variant = random_int(r, lock_count);
  op->value = random_word(r);
  op->dest = random_cell(r);
  op->dest.offset = data_bytes + 8 * (size_t)(4 + op->variant);  // one counter for each lock, so that PEs contend
  return claim_class(op->target, op->dest, 8, 2 * LOCKED + op->variant);
}
static void model_locked(const struct operation* op) {
  uint64_t value;
  memcpy(&value, model_at(op->target, op->dest), 8);
  value += op->value;
  model_write(op, op->target, op->dest, &value, 8);
}
static void run_locked(const struct operation* op) {
  if (op->pe != me) return;
  if (op->value % 2)
    shmem_set_lock(&locks[op->variant]);
  else
    while (shmem_test_lock(&locks[op->variant])) continue;
  const uint64_t value = shmem_uint64_g(here(op->dest), op->target) + op->value;
  shmem_uint64_p(here(op->dest), value, op->target);
  shmem_clear_lock(&locks[op->variant]);
}

const struct operation_kind atomic_kinds[] = {{"commuting atomic", 30, plan_commuting, model_commuting, run_commuting},
                                              {"exclusive atomic", 15, plan_exclusive, model_exclusive, run_exclusive},
                                              {"locked update", 8, plan_locked, model_locked, run_locked},
                                              {NULL, 0, NULL, NULL, NULL}};
