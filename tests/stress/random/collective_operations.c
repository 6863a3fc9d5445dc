// Collectives on teams of all shapes. Every member has the same place for dest, and for source.
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

// ---- collect and fcollect
// ----------------------------------------------------------------------------------------

static int plan_collect(struct operation* op, struct random* r) {
  plan_team(op, r, 2, 300);
  op->variant = random_int(r, 2);  // whether all sizes are equal
  size_t all = 0, most = 0;
  for (int i = 0; i < team_of(op)->size; i++) {
    op->counts[i] = op->variant ? op->count : random_size(r, 300);
    all += op->counts[i];
    most = op->counts[i] > most ? op->counts[i] : most;
  }
  return plan_buffers(op, r, all * op->width, most * op->width);
}
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

// ---- alltoall and alltoalls
// -----------------------------------------------------------------------------------------

static int plan_alltoall(struct operation* op, struct random* r) {
  plan_team(op, r, 4, 60);
  op->variant = random_int(r, 2);  // whether strided
  op->dst = op->variant ? 1 + random_int(r, 4) : 1;
  op->sst = op->variant ? 1 + random_int(r, 4) : 1;
  const size_t elements = op->count * (size_t)team_of(op)->size;
  return plan_buffers(op, r, elements * (size_t)op->dst * op->width, elements * (size_t)op->sst * op->width);
}
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

static int plan_fold(struct operation* op, struct random* r) {
  plan_team(op, r, 8, 300);
  op->variant = random_int(r, FOLDS);
  op->value = (uint64_t)(random_int(r, 3) == 0);  // whether in place
  if (!op->value) return plan_buffers(op, r, op->count * 8, op->count * 8);
  op->dest = op->source = random_symmetric(r, 8, op->count * 8);
  for (int i = 0; i < team_of(op)->size; i++)
    if (!claim_write(team_of(op)->members[i], op->dest, op->count * 8)) return 0;
  return 1;
}

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

const struct operation_kind collective_kinds[] = {{"broadcast", 4, plan_broadcast, model_broadcast, run_broadcast},
                                                  {"collect", 4, plan_collect, model_collect, run_collect},
                                                  {"alltoall", 4, plan_alltoall, model_alltoall, run_alltoall},
                                                  {"reduction or scan", 8, plan_fold, model_fold, run_fold},
                                                  {"team sync", 2, plan_sync, model_sync, run_sync},
                                                  {NULL, 0, NULL, NULL, NULL}};
