// Puts and gets of all widths, blocking and nonblocking, on all contexts; stores through shmem_ptr;
// pairs of overlapping puts with a fence between.
#include <string.h>
#include "contexts.h"

typedef void transfer_call(void* dest, const void* source, size_t count, int pe);
typedef void ctx_transfer_call(shmem_ctx_t ctx, void* dest, const void* source, size_t count, int pe);

enum { calls_per_form = 6 };  // elements of 1, 2, 4, 8, 16 bytes, then `mem`
enum { BLOCKING, NONBLOCKING, FORMS };
static const size_t widths[calls_per_form] = {1, 2, 4, 8, 16, 1};

static transfer_call* const puts[FORMS][calls_per_form] = {
    {shmem_put8, shmem_put16, shmem_put32, shmem_put64, shmem_put128, shmem_putmem},
    {shmem_put8_nbi, shmem_put16_nbi, shmem_put32_nbi, shmem_put64_nbi, shmem_put128_nbi, shmem_putmem_nbi}};
static transfer_call* const gets[FORMS][calls_per_form] = {
    {shmem_get8, shmem_get16, shmem_get32, shmem_get64, shmem_get128, shmem_getmem},
    {shmem_get8_nbi, shmem_get16_nbi, shmem_get32_nbi, shmem_get64_nbi, shmem_get128_nbi, shmem_getmem_nbi}};
static ctx_transfer_call* const ctx_puts[FORMS][calls_per_form] = {
    {shmem_ctx_put8, shmem_ctx_put16, shmem_ctx_put32, shmem_ctx_put64, shmem_ctx_put128, shmem_ctx_putmem},
    {shmem_ctx_put8_nbi, shmem_ctx_put16_nbi, shmem_ctx_put32_nbi, shmem_ctx_put64_nbi, shmem_ctx_put128_nbi,
     shmem_ctx_putmem_nbi}};
static ctx_transfer_call* const ctx_gets[FORMS][calls_per_form] = {
    {shmem_ctx_get8, shmem_ctx_get16, shmem_ctx_get32, shmem_ctx_get64, shmem_ctx_get128, shmem_ctx_getmem},
    {shmem_ctx_get8_nbi, shmem_ctx_get16_nbi, shmem_ctx_get32_nbi, shmem_ctx_get64_nbi, shmem_ctx_get128_nbi,
     shmem_ctx_getmem_nbi}};

// `variant` is form * calls_per_form + call.
static void plan_call(struct operation* op, struct random* r) {
  const int call = random_int(r, calls_per_form);
  op->variant = random_int(r, FORMS) * calls_per_form + call;
  op->width = widths[call];
  op->count = random_size(r, 4096 / op->width);
}

static void transfer(const struct operation* op, transfer_call* call, ctx_transfer_call* ctx_call, void* dest,
                     const void* source) {
  if (op->route == ROUTE_NONE)
    call(dest, source, op->count, op->target);
  else
    ctx_call(route_context(op), dest, source, op->count, route_pe(op));
}

static void put(const struct operation* op, struct place source) {
  const int form = op->variant / calls_per_form, call = op->variant % calls_per_form;
  transfer(op, puts[form][call], ctx_puts[form][call], here(op->dest), here(source));
}

static void model_put(const struct operation* op) {
  model_write(op, op->target, op->dest, model_at(op->pe, op->source), op->count * op->width);
}

static int plan_put(struct operation* op, struct random* r) {
  plan_call(op, r);
  plan_route(op, r);
  const size_t bytes = op->count * op->width;
  op->dest = random_symmetric(r, op->width, bytes);
  op->source = random_local(r, op->width, bytes);
  return claim_read(op->pe, op->source, bytes) && claim_write(op->target, op->dest, bytes);
}
static void run_put(const struct operation* op) {
  if (op->pe == me) put(op, op->source);
}

static int plan_get(struct operation* op, struct random* r) {
  plan_call(op, r);
  plan_route(op, r);
  const size_t bytes = op->count * op->width;
  op->dest = random_local(r, op->width, bytes);
  op->source = random_symmetric(r, op->width, bytes);
  return claim_read(op->target, op->source, bytes) && claim_write(op->pe, op->dest, bytes);
}
static void model_get(const struct operation* op) {
  model_write(op, op->pe, op->dest, model_at(op->target, op->source), op->count * op->width);
}
static void run_get(const struct operation* op) {
  if (op->pe != me) return;
  const int form = op->variant / calls_per_form, call = op->variant % calls_per_form;
  transfer(op, gets[form][call], ctx_gets[form][call], here(op->dest), here(op->source));
}

// Two puts to the same place; the fence says which one wins. `result` is the source of the first.
static int plan_fenced_puts(struct operation* op, struct random* r) {
  if (!plan_put(op, r)) return 0;
  op->result = random_local(r, op->width, op->count * op->width);
  return claim_read(op->pe, op->result, op->count * op->width);
}
static void run_fenced_puts(const struct operation* op) {
  if (op->pe != me) return;
  put(op, op->result);
  route_fence(op);
  put(op, op->source);
}

// One element by value.
static int plan_scalar_put(struct operation* op, struct random* r) {
  plan_route(op, r);
  op->value = random_word(r);
  op->dest = random_symmetric(r, 8, 8);
  return claim_write(op->target, op->dest, 8);
}
static void model_scalar_put(const struct operation* op) { model_write(op, op->target, op->dest, &op->value, 8); }
static void run_scalar_put(const struct operation* op) {
  if (op->pe != me) return;
  if (op->route == ROUTE_NONE)
    shmem_uint64_p(here(op->dest), op->value, op->target);
  else
    shmem_ctx_uint64_p(route_context(op), here(op->dest), op->value, route_pe(op));
}

static int plan_scalar_get(struct operation* op, struct random* r) {
  plan_route(op, r);
  op->width = 8;
  op->count = 1;
  op->source = random_symmetric(r, 8, 8);
  op->dest = random_local(r, 8, 8);
  return claim_read(op->target, op->source, 8) && claim_write(op->pe, op->dest, 8);
}
static void run_scalar_get(const struct operation* op) {
  if (op->pe != me) return;
  const uint64_t value = op->route == ROUTE_NONE
                             ? shmem_uint64_g(here(op->source), op->target)
                             : shmem_ctx_uint64_g(route_context(op), here(op->source), route_pe(op));
  memcpy(here(op->dest), &value, 8);
}

// Plain stores, one's own or through shmem_ptr; the barrier that ends the phase publishes them.
static int plan_store(struct operation* op, struct random* r) {
  op->value = random_word(r);
  op->width = 1;
  op->count = random_size(r, 500);
  op->dest = random_symmetric(r, 1, op->count);
  return claim_write(op->target, op->dest, op->count);
}
static void model_store(const struct operation* op) {
  unsigned char bytes[1024];
  memset(bytes, (int)(op->value & 0xff), op->count);
  model_write(op, op->target, op->dest, bytes, op->count);
}
static void run_store(const struct operation* op) {
  if (op->pe != me || op->count == 0) return;
  unsigned char bytes[1024];
  memset(bytes, (int)(op->value & 0xff), op->count);
  void* there = shmem_ptr(here(op->dest), op->target);
  if (there)
    memcpy(there, bytes, op->count);
  else
    shmem_putmem(here(op->dest), bytes, op->count, op->target);
}

const struct operation_kind rma_kinds[] = {{"put", 20, plan_put, model_put, run_put},
                                           {"get", 20, plan_get, model_get, run_get},
                                           {"fenced puts", 8, plan_fenced_puts, model_put, run_fenced_puts},
                                           {"p", 10, plan_scalar_put, model_scalar_put, run_scalar_put},
                                           {"g", 10, plan_scalar_get, model_get, run_scalar_get},
                                           {"store", 6, plan_store, model_store, run_store},
                                           {NULL, 0, NULL, NULL, NULL}};
