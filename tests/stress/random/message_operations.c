// Messages: one PE sends data and a flag; the other waits for the flag, then copies the data to another place, so that
// data which arrives after its flag is noticed. By put_signal, by put_signal_nbi, and by put, fence and atomic.
#include <string.h>
#include "contexts.h"

enum { PUT_SIGNAL, PUT_SIGNAL_NBI, PUT_FENCE_FLAG, BARE_SIGNAL, VARIANTS };

static int plan_message(struct operation* op, struct random* r) {
  plan_route(op, r);
  op->variant = random_int(r, VARIANTS);
  op->width = 1;
  op->count = op->variant == BARE_SIGNAL ? 0 : random_size(r, 6000);
  op->dst = random_int(r, 2) ? SHMEM_SIGNAL_SET : SHMEM_SIGNAL_ADD;
  op->source = random_local(r, 1, op->count);
  op->dest = random_symmetric(r, 1, op->count);
  op->result = random_local(r, 1, op->count);
  struct place flag = random_cell(r);
  op->counts[0] = flag.memory, op->counts[1] = flag.offset;
  if (!claim_read(op->pe, op->source, op->count) || !claim_write(op->target, op->dest, op->count) ||
      !claim_write(op->target, op->result, op->count) || !claim_write(op->target, flag, 8))
    return 0;
  uint64_t old;
  memcpy(&old, model_at(op->target, flag), 8);
  const uint64_t step = 1 + random_below(r, 1000);
  op->condition = old + step;  // the next value of the flag
  op->value = op->dst == SHMEM_SIGNAL_ADD && op->variant != PUT_FENCE_FLAG ? step : op->condition;
  return 1;
}

static struct place flag_of(const struct operation* op) {
  return (struct place){(enum memory)op->counts[0], op->counts[1]};
}

static void model_message(const struct operation* op) {
  const void* data = model_at(op->pe, op->source);
  model_write(op, op->target, op->dest, data, op->count);
  model_write(op, op->target, op->result, data, op->count);
  model_write(op, op->target, flag_of(op), &op->condition, 8);
}

static void send(const struct operation* op) {
  const shmem_ctx_t ctx = route_context(op);
  const int pe = route_pe(op), sig_op = (int)op->dst;
  void *dest = here(op->dest), *source = here(op->source);
  uint64_t* flag = here(flag_of(op));
  switch (op->variant) {
    case PUT_SIGNAL: shmem_ctx_putmem_signal(ctx, dest, source, op->count, flag, op->value, sig_op, pe); break;
    case PUT_SIGNAL_NBI: shmem_ctx_putmem_signal_nbi(ctx, dest, source, op->count, flag, op->value, sig_op, pe); break;
    case PUT_FENCE_FLAG:
      shmem_ctx_putmem_nbi(ctx, dest, source, op->count, pe);
      shmem_ctx_fence(ctx);
      shmem_ctx_uint64_atomic_set(ctx, flag, op->value, pe);
      break;
    default:
      if (sig_op == SHMEM_SIGNAL_ADD)
        shmem_ctx_signal_add(ctx, flag, op->value, pe);
      else
        shmem_ctx_signal_set(ctx, flag, op->value, pe);
  }
}

static void run_message(const struct operation* op) {
  if (op->pe == me) send(op);
  if (op->target != me) return;
  uint64_t* flag = here(flag_of(op));
  if (op->variant == PUT_FENCE_FLAG)
    shmem_uint64_wait_until(flag, SHMEM_CMP_EQ, op->condition);
  else
    shmem_signal_wait_until(flag, SHMEM_CMP_EQ, op->condition);
  memcpy(here(op->result), here(op->dest), op->count);
}

const struct operation_kind message_kinds[] = {{"message", 15, plan_message, model_message, run_message},
                                               {NULL, 0, NULL, NULL, NULL}};
