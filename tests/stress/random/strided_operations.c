// iput, iget, ibput, ibget of all widths on all contexts.
#include "contexts.h"

typedef void strided_call(void*, const void*, ptrdiff_t, ptrdiff_t, size_t, int);
typedef void ctx_strided_call(shmem_ctx_t, void*, const void*, ptrdiff_t, ptrdiff_t, size_t, int);
typedef void block_call(void*, const void*, ptrdiff_t, ptrdiff_t, size_t, size_t, int);
typedef void ctx_block_call(shmem_ctx_t, void*, const void*, ptrdiff_t, ptrdiff_t, size_t, size_t, int);

enum { PUT, GET, DIRECTIONS, width_count = 5 };
static strided_call* const strided[DIRECTIONS][width_count] = {
    {shmem_iput8, shmem_iput16, shmem_iput32, shmem_iput64, shmem_iput128},
    {shmem_iget8, shmem_iget16, shmem_iget32, shmem_iget64, shmem_iget128}};
static ctx_strided_call* const ctx_strided[DIRECTIONS][width_count] = {
    {shmem_ctx_iput8, shmem_ctx_iput16, shmem_ctx_iput32, shmem_ctx_iput64, shmem_ctx_iput128},
    {shmem_ctx_iget8, shmem_ctx_iget16, shmem_ctx_iget32, shmem_ctx_iget64, shmem_ctx_iget128}};
static block_call* const blocks[DIRECTIONS][width_count] = {
    {shmem_ibput8, shmem_ibput16, shmem_ibput32, shmem_ibput64, shmem_ibput128},
    {shmem_ibget8, shmem_ibget16, shmem_ibget32, shmem_ibget64, shmem_ibget128}};
static ctx_block_call* const ctx_blocks[DIRECTIONS][width_count] = {
    {shmem_ctx_ibput8, shmem_ctx_ibput16, shmem_ctx_ibput32, shmem_ctx_ibput64, shmem_ctx_ibput128},
    {shmem_ctx_ibget8, shmem_ctx_ibget16, shmem_ctx_ibget32, shmem_ctx_ibget64, shmem_ctx_ibget128}};

static size_t span(const struct operation* op, ptrdiff_t stride) {
  return op->count == 0 ? 0 : ((op->count - 1) * (size_t)stride + op->bsize) * op->width;
}

// `variant` is the index of the width; bsize 1 may go by iput as well as by ibput (`value`).
static int plan_strided(struct operation* op, struct random* r, int direction) {
  plan_route(op, r);
  op->variant = random_int(r, width_count);
  op->width = (size_t)1 << op->variant;
  op->value = (uint64_t)random_int(r, 2);
  op->bsize = op->value ? 1 + random_size(r, 12) : 1;
  op->dst = (ptrdiff_t)(op->bsize + random_below(r, 6));
  op->sst = (ptrdiff_t)(op->bsize + random_below(r, 6));
  op->count = random_size(r, 24);
  op->dest = direction == PUT ? random_symmetric(r, op->width, span(op, op->dst))
                              : random_local(r, op->width, span(op, op->dst));
  op->source = direction == PUT ? random_local(r, op->width, span(op, op->sst))
                                : random_symmetric(r, op->width, span(op, op->sst));
  const int writes = direction == PUT ? op->target : op->pe, reads = direction == PUT ? op->pe : op->target;
  return claim_read(reads, op->source, span(op, op->sst)) && claim_write(writes, op->dest, span(op, op->dst));
}

static void model_strided(const struct operation* op, int from, int to) {
  for (size_t b = 0; b < op->count; b++)
    model_write(op, to, beyond(op->dest, b * (size_t)op->dst * op->width),
                model_at(from, beyond(op->source, b * (size_t)op->sst * op->width)), op->bsize * op->width);
}

static void run_strided(const struct operation* op, int direction) {
  if (op->pe != me) return;
  void* dest = here(op->dest);
  const void* source = here(op->source);
  const int w = op->variant;
  if (op->value && op->route == ROUTE_NONE)
    blocks[direction][w](dest, source, op->dst, op->sst, op->bsize, op->count, op->target);
  else if (op->value)
    ctx_blocks[direction][w](route_context(op), dest, source, op->dst, op->sst, op->bsize, op->count, route_pe(op));
  else if (op->route == ROUTE_NONE)
    strided[direction][w](dest, source, op->dst, op->sst, op->count, op->target);
  else
    ctx_strided[direction][w](route_context(op), dest, source, op->dst, op->sst, op->count, route_pe(op));
}

static int plan_put(struct operation* op, struct random* r) { return plan_strided(op, r, PUT); }
static int plan_get(struct operation* op, struct random* r) { return plan_strided(op, r, GET); }
static void model_put(const struct operation* op) { model_strided(op, op->pe, op->target); }
static void model_get(const struct operation* op) { model_strided(op, op->target, op->pe); }
static void run_put(const struct operation* op) { run_strided(op, PUT); }
static void run_get(const struct operation* op) { run_strided(op, GET); }

const struct operation_kind strided_kinds[] = {{"strided put", 12, plan_put, model_put, run_put},
                                               {"strided get", 12, plan_get, model_get, run_get},
                                               {NULL, 0, NULL, NULL, NULL}};
