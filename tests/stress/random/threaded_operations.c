// Puts and gets that several threads of one PE share: each thread moves its part of the bytes, on the default context
// or on one that it creates. And puts inside of a session.
#include <pthread.h>
#include "contexts.h"

enum { most_threads = 4 };
enum { PUT, PUT_NBI, GET, GET_NBI, CALLS };

struct part {
  const struct operation* op;
  size_t begin, end;
  int own_context;
};

static void move_part(const struct operation* op, shmem_ctx_t ctx, size_t begin, size_t bytes) {
  void *dest = here(beyond(op->dest, begin)), *source = here(beyond(op->source, begin));
  switch (op->variant) {
    case PUT: shmem_ctx_putmem(ctx, dest, source, bytes, op->target); break;
    case PUT_NBI: shmem_ctx_putmem_nbi(ctx, dest, source, bytes, op->target); break;
    case GET: shmem_ctx_getmem(ctx, dest, source, bytes, op->target); break;
    default: shmem_ctx_getmem_nbi(ctx, dest, source, bytes, op->target);
  }
}

static void* run_thread(void* data) {
  const struct part* part = data;
  const size_t half = part->begin + (part->end - part->begin) / 2;
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  const int created = part->own_context && shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0;
  if (!created) ctx = SHMEM_CTX_DEFAULT;
  move_part(part->op, ctx, part->begin, half - part->begin);
  move_part(part->op, ctx, half, part->end - half);
  shmem_ctx_quiet(ctx);
  if (created) shmem_ctx_destroy(ctx);
  return NULL;
}

static int plan_threaded(struct operation* op, struct random* r) {
  op->variant = random_int(r, CALLS);
  op->width = 1 + random_below(r, most_threads);  // threads
  op->bsize = random_below(r, 2);                 // whether with contexts of their own
  op->count = random_size(r, 6000);
  const int gets = op->variant >= GET;
  op->dest = gets ? random_local(r, 1, op->count) : random_symmetric(r, 1, op->count);
  op->source = gets ? random_symmetric(r, 1, op->count) : random_local(r, 1, op->count);
  return claim_read(gets ? op->target : op->pe, op->source, op->count) &&
         claim_write(gets ? op->pe : op->target, op->dest, op->count);
}

static void model_threaded(const struct operation* op) {
  const int gets = op->variant >= GET;
  model_write(op, gets ? op->pe : op->target, op->dest, model_at(gets ? op->target : op->pe, op->source), op->count);
}

static void run_threaded(const struct operation* op) {
  if (op->pe != me) return;
  pthread_t threads[most_threads];
  struct part parts[most_threads];
  for (size_t i = 0; i < op->width; i++) {
    parts[i] = (struct part){op, op->count * i / op->width, op->count * (i + 1) / op->width, (int)op->bsize};
    if (!threads_may_call)
      run_thread(&parts[i]);
    else if (pthread_create(&threads[i], NULL, run_thread, &parts[i]) != 0)
      shmem_global_exit(2);
  }
  for (size_t i = 0; threads_may_call && i < op->width; i++) pthread_join(threads[i], NULL);
}

// ---- many small puts in a session
// --------------------------------------------------------------------------------------------------------

static int plan_session(struct operation* op, struct random* r) {
  plan_route(op, r);
  op->width = 8;
  op->count = random_size(r, 200);
  op->dest = random_symmetric(r, 8, 8 * op->count);
  op->source = random_local(r, 8, 8 * op->count);
  return claim_read(op->pe, op->source, 8 * op->count) && claim_write(op->target, op->dest, 8 * op->count);
}

static void model_session(const struct operation* op) {
  model_write(op, op->target, op->dest, model_at(op->pe, op->source), 8 * op->count);
}

static void run_session(const struct operation* op) {
  if (op->pe != me) return;
  const shmem_ctx_t ctx = route_context(op);
  const shmem_ctx_session_config_t config = {.total_ops = op->count};
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, &config, SHMEM_CTX_SESSION_TOTAL_OPS);
  uint64_t *dest = here(op->dest), *source = here(op->source);
  for (size_t i = 0; i < op->count; i++) {
    if (i % 3 == 0)
      shmem_ctx_uint64_p(ctx, dest + i, source[i], route_pe(op));
    else
      shmem_ctx_put64_nbi(ctx, dest + i, source + i, 1, route_pe(op));
  }
  shmem_ctx_session_stop(ctx);
}

const struct operation_kind threaded_kinds[] = {{"threaded transfer", 4, plan_threaded, model_threaded, run_threaded},
                                                {"session", 6, plan_session, model_session, run_session},
                                                {NULL, 0, NULL, NULL, NULL}};
