// Collectives on teams of all shapes, and their non-blocking forms. Every member has the same place for dest, and for
// source.
#include <shmemx.h>
#include <string.h>
#include "contexts.h"

static const struct team* team_of(const struct operation* op) { return &teams[op->team]; }

// Every member reads `source_bytes`, and its dest gets `dest_bytes`.
static int plan_buffers(struct operation* op, struct random* r, size_t dest_bytes, size_t source_bytes) {
  op->dest = random_symmetric(r, op->width, dest_bytes);
  op->source = random_symmetric(r, op->width, source_bytes);
  for (int i = 0; i < team_of(op)->size; i++)
    if (!claim_read(team_of(op)->members[i], op->source, source_bytes) ||
        !claim_write(team_of(op)->members[i], op->dest, dest_bytes))
      return 0;
  return 1;
}

static void plan_team(struct operation* op, struct random* r, size_t width, size_t most_count) {
  op->team = random_int(r, team_count);
  op->width = width;
  op->count = random_size(r, most_count);
}

static int taking_part(const struct operation* op) { return team_place(team_of(op), me) >= 0; }

// ---- non-blocking forms
// -------------------------------------------------------------------------------------------

// The request of the operation that starts next; the ones before may be complete, but nothing has asked.
static shmemx_request_t requests[most_operations];
static size_t request_count;

static shmemx_request_t* next_request(void) { return &requests[request_count++]; }

// In an order that differs from that of the starts: every third first, by tests, then the others.
void collectives_wait(void) {
  for (size_t i = 0; i < request_count; i += 3)
    while (!shmemx_coll_test(&requests[i])) continue;
  for (size_t i = request_count; i-- > 0;) shmemx_coll_wait(&requests[i]);
  request_count = 0;
}

// ---- broadcast
// --------------------------------------------------------------------------------------------------

static int plan_broadcast(struct operation* op, struct random* r) {
  plan_team(op, r, 1, 4096);
  op->variant = random_int(r, team_of(op)->size);
  return plan_buffers(op, r, op->count, op->count);
}
static void model_broadcast(const struct operation* op) {
  const struct team* team = team_of(op);
  for (int i = 0; i < team->size; i++)
    model_write(op, team->members[i], op->dest, model_at(team->members[op->variant], op->source), op->count);
}
static void run_broadcast(const struct operation* op) {
  if (taking_part(op))
    shmem_broadcastmem(team_of(op)->handle, here(op->dest), here(op->source), op->count, op->variant);
}
static void start_broadcast(const struct operation* op) {
  if (taking_part(op))
    shmemx_broadcastmem_nb(team_of(op)->handle, here(op->dest), here(op->source), op->count, op->variant,
                           next_request());
}

// ---- collect and fcollect
// ----------------------------------------------------------------------------------------

static int plan_sizes(struct operation* op, struct random* r, int are_equal) {
  plan_team(op, r, 2, 300);
  op->variant = are_equal;
  size_t all = 0, most = 0;
  for (int i = 0; i < team_of(op)->size; i++) {
    op->counts[i] = op->variant ? op->count : random_size(r, 300);
    all += op->counts[i];
    most = op->counts[i] > most ? op->counts[i] : most;
  }
  return plan_buffers(op, r, all * op->width, most * op->width);
}
static int plan_collect(struct operation* op, struct random* r) { return plan_sizes(op, r, random_int(r, 2)); }
static int plan_fcollect(struct operation* op, struct random* r) { return plan_sizes(op, r, 1); }
static void model_collect(const struct operation* op) {
  const struct team* team = team_of(op);
  for (int to = 0; to < team->size; to++) {
    size_t offset = 0;
    for (int from = 0; from < team->size; from++) {
      const size_t bytes = op->counts[from] * op->width;
      model_write(op, team->members[to], beyond(op->dest, offset), model_at(team->members[from], op->source), bytes);
      offset += bytes;
    }
  }
}
static void run_collect(const struct operation* op) {
  if (!taking_part(op)) return;
  const size_t mine = op->counts[team_place(team_of(op), me)];
  if (op->variant)
    shmem_short_fcollect(team_of(op)->handle, here(op->dest), here(op->source), mine);
  else
    shmem_short_collect(team_of(op)->handle, here(op->dest), here(op->source), mine);
}
static void start_fcollect(const struct operation* op) {
  if (taking_part(op))
    shmemx_short_fcollect_nb(team_of(op)->handle, here(op->dest), here(op->source), op->count, next_request());
}

// ---- alltoall and alltoalls
// -----------------------------------------------------------------------------------------

static int plan_blocks(struct operation* op, struct random* r, int is_strided) {
  plan_team(op, r, 4, 60);
  op->variant = is_strided;
  op->dst = op->variant ? 1 + random_int(r, 4) : 1;
  op->sst = op->variant ? 1 + random_int(r, 4) : 1;
  const size_t elements = op->count * (size_t)team_of(op)->size;
  return plan_buffers(op, r, elements * (size_t)op->dst * op->width, elements * (size_t)op->sst * op->width);
}
static int plan_any_alltoall(struct operation* op, struct random* r) { return plan_blocks(op, r, random_int(r, 2)); }
static int plan_alltoall(struct operation* op, struct random* r) { return plan_blocks(op, r, 0); }
static void model_alltoall(const struct operation* op) {
  const struct team* team = team_of(op);
  for (int to = 0; to < team->size; to++)
    for (int from = 0; from < team->size; from++)
      for (size_t e = 0; e < op->count; e++) {
        const size_t d = ((size_t)from * op->count + e) * (size_t)op->dst;
        const size_t s = ((size_t)to * op->count + e) * (size_t)op->sst;
        model_write(op, team->members[to], beyond(op->dest, d * op->width),
                    model_at(team->members[from], beyond(op->source, s * op->width)), op->width);
      }
}
static void run_alltoall(const struct operation* op) {
  if (!taking_part(op)) return;
  if (op->variant)
    shmem_int_alltoalls(team_of(op)->handle, here(op->dest), here(op->source), op->dst, op->sst, op->count);
  else
    shmem_int_alltoall(team_of(op)->handle, here(op->dest), here(op->source), op->count);
}
static void start_alltoall(const struct operation* op) {
  if (taking_part(op))
    shmemx_int_alltoall_nb(team_of(op)->handle, here(op->dest), here(op->source), op->count, next_request());
}

// ---- reductions and scans, on 64-bit words
// ---------------------------------------------------------------------------

enum { SUM, PROD, MAX, MIN, AND, OR, XOR, REDUCTIONS, INSCAN = REDUCTIONS, EXSCAN, FOLDS };
typedef int fold_call(shmem_team_t, uint64_t*, const uint64_t*, size_t);
static fold_call* const folds[FOLDS] = {shmem_uint64_sum_reduce, shmem_uint64_prod_reduce, shmem_uint64_max_reduce,
                                        shmem_uint64_min_reduce, shmem_uint64_and_reduce,  shmem_uint64_or_reduce,
                                        shmem_uint64_xor_reduce, shmem_uint64_sum_inscan,  shmem_uint64_sum_exscan};

static uint64_t fold(int call, uint64_t a, uint64_t b) {
  switch (call) {
    case PROD: return a * b;
    case MAX: return a > b ? a : b;
    case MIN: return a < b ? a : b;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    default: return a + b;
  }
}

static int plan_folding(struct operation* op, struct random* r, int calls) {
  plan_team(op, r, 8, 300);
  op->variant = random_int(r, calls);
  op->value = (uint64_t)(random_int(r, 3) == 0);  // whether in place
  if (!op->value) return plan_buffers(op, r, op->count * 8, op->count * 8);
  op->dest = op->source = random_symmetric(r, 8, op->count * 8);
  for (int i = 0; i < team_of(op)->size; i++)
    if (!claim_write(team_of(op)->members[i], op->dest, op->count * 8)) return 0;
  return 1;
}
static int plan_fold(struct operation* op, struct random* r) { return plan_folding(op, r, FOLDS); }
static int plan_reduction(struct operation* op, struct random* r) { return plan_folding(op, r, REDUCTIONS); }

static uint64_t word_of(const struct operation* op, int member, size_t i) {
  uint64_t word;
  memcpy(&word, model_at(team_of(op)->members[member], beyond(op->source, 8 * i)), 8);
  return word;
}

// Computes element i of each member before it writes any, because the operation may be in place.
static void model_fold_element(const struct operation* op, size_t i) {
  uint64_t results[most_pes];
  const int size = team_of(op)->size;
  for (int to = 0; to < size; to++) {
    const int end = op->variant == INSCAN ? to + 1 : op->variant == EXSCAN ? to : size;
    results[to] = end > 0 ? word_of(op, 0, i) : 0;
    for (int from = 1; from < end; from++) results[to] = fold(op->variant, results[to], word_of(op, from, i));
  }
  for (int to = 0; to < size; to++) model_write(op, team_of(op)->members[to], beyond(op->dest, 8 * i), &results[to], 8);
}
static void model_fold(const struct operation* op) {
  for (size_t i = 0; i < op->count; i++) model_fold_element(op, i);
}
static void run_fold(const struct operation* op) {
  if (taking_part(op)) folds[op->variant](team_of(op)->handle, here(op->dest), here(op->source), op->count);
}

typedef int start_call(shmem_team_t, uint64_t*, const uint64_t*, size_t, shmemx_request_t*);
static start_call* const starts[REDUCTIONS] = {
    shmemx_uint64_sum_reduce_nb, shmemx_uint64_prod_reduce_nb, shmemx_uint64_max_reduce_nb, shmemx_uint64_min_reduce_nb,
    shmemx_uint64_and_reduce_nb, shmemx_uint64_or_reduce_nb,   shmemx_uint64_xor_reduce_nb};
static void start_reduction(const struct operation* op) {
  if (taking_part(op))
    starts[op->variant](team_of(op)->handle, here(op->dest), here(op->source), op->count, next_request());
}

// ---- nothing but meeting
// -------------------------------------------------------------------------------------------

static int plan_sync(struct operation* op, struct random* r) {
  plan_team(op, r, 1, 1);
  return 1;
}
static void model_sync(const struct operation* op) { (void)op; }
static void run_sync(const struct operation* op) {
  if (taking_part(op)) shmem_team_sync(team_of(op)->handle);
}
static void start_sync(const struct operation* op) {
  if (taking_part(op)) shmemx_team_sync_nb(team_of(op)->handle, next_request());
}

const struct operation_kind collective_kinds[] = {{"broadcast", 4, plan_broadcast, model_broadcast, run_broadcast},
                                                  {"collect", 4, plan_collect, model_collect, run_collect},
                                                  {"alltoall", 4, plan_any_alltoall, model_alltoall, run_alltoall},
                                                  {"reduction or scan", 8, plan_fold, model_fold, run_fold},
                                                  {"team sync", 2, plan_sync, model_sync, run_sync},
                                                  {"broadcast_nb", 3, plan_broadcast, model_broadcast, start_broadcast},
                                                  {"fcollect_nb", 3, plan_fcollect, model_collect, start_fcollect},
                                                  {"alltoall_nb", 3, plan_alltoall, model_alltoall, start_alltoall},
                                                  {"reduction_nb", 4, plan_reduction, model_fold, start_reduction},
                                                  {"team sync_nb", 1, plan_sync, model_sync, start_sync},
                                                  {NULL, 0, NULL, NULL, NULL}};
