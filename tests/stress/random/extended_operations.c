// Collectives of shmemx.h: from and to a root, with different lengths, with a share for each PE. In place where that is
// permitted, so that the addresses of the root or of every PE differ from those of the others.
#include <shmemx.h>
#include "program.h"

enum { WIDTH = 2, WORD = 8, most_gap = 3 };
enum in_place { NOWHERE, ON_THE_ROOT, EVERYWHERE };

static const struct team* team_of(const struct operation* op) { return &teams[op->team]; }
static int place_of_me(const struct operation* op) { return team_place(team_of(op), me); }
static int root_of(const struct operation* op) { return team_of(op)->members[op->target]; }

// ---- blocks of the root
// -----------------------------------------------------------------------------------------

// `variant`: whether lengths differ. `target`: the root's number in the team. `bsize`: elements between two blocks. The
// blocks of PEs with higher numbers come first if lengths differ, so that displacements matter.
static size_t block_at(const struct operation* op, int i) {
  size_t at = 0;
  if (!op->variant) return (size_t)i * op->count;
  for (int j = team_of(op)->size - 1; j > i; j--) at += op->counts[j] + op->bsize;
  return at;
}
static struct place block_of(const struct operation* op, struct place of_root, int i) {
  return beyond(of_root, block_at(op, i) * op->width);
}
static size_t bytes_of(const struct operation* op, int i) { return op->counts[i] * op->width; }

static void plan_blocks(struct operation* op, struct random* r) {
  op->team = random_int(r, team_count);
  op->width = WIDTH;
  op->variant = random_int(r, 2);
  op->count = random_size(r, 400);
  op->bsize = random_below(r, most_gap + 1);
  op->target = random_int(r, team_of(op)->size);
  op->value = (uint64_t)random_int(r, 2);  // whether in place on the root
  for (int i = 0; i < team_of(op)->size; i++) op->counts[i] = op->variant ? random_size(r, 400) : op->count;
}
// Of the root's array of all blocks.
static size_t all_bytes(const struct operation* op) {
  size_t most = 0;
  for (int i = 0; i < team_of(op)->size; i++) {
    const size_t end = block_at(op, i) + op->counts[i];
    most = end > most ? end : most;
  }
  return most * op->width;
}

// Of two places, the root has `blocks` in one, and every PE one block in the other. In place, the root's block is its
// part of `blocks`.
typedef int claim_call(int pe, struct place place, size_t bytes);
static int claim_blocks(const struct operation* op, struct place blocks, claim_call* claim_blocks, struct place single,
                        claim_call* claim_single) {
  for (int i = 0; i < team_of(op)->size; i++) {
    const int is_in_place = op->value && i == op->target;
    claim_call* const of_block = is_in_place ? claim_write : claim_blocks;
    if (!of_block(root_of(op), block_of(op, blocks, i), bytes_of(op, i))) return 0;
    if (!is_in_place && !claim_single(team_of(op)->members[i], single, bytes_of(op, i))) return 0;
  }
  return 1;
}

static void displacements(const struct operation* op, size_t* displs) {
  for (int i = 0; i < team_of(op)->size; i++) displs[i] = block_at(op, i);
}

static int plan_gather(struct operation* op, struct random* r) {
  plan_blocks(op, r);
  op->dest = random_symmetric(r, op->width, all_bytes(op));
  op->source = random_symmetric(r, op->width, 400 * op->width);
  return claim_blocks(op, op->dest, claim_write, op->source, claim_read);
}
static void model_gather(const struct operation* op) {
  for (int i = 0; i < team_of(op)->size; i++)
    if (!op->value || i != op->target)
      model_write(op, root_of(op), block_of(op, op->dest, i), model_at(team_of(op)->members[i], op->source),
                  bytes_of(op, i));
}
static void run_gather(const struct operation* op) {
  const int mine = place_of_me(op);
  if (mine < 0) return;
  const struct place source = op->value && mine == op->target ? block_of(op, op->dest, mine) : op->source;
  size_t displs[most_pes];
  displacements(op, displs);
  if (op->variant)
    shmemx_short_gatherv(team_of(op)->handle, here(op->dest), mine == op->target ? op->counts : NULL,
                         mine == op->target ? displs : NULL, here(source), op->counts[mine], op->target);
  else
    shmemx_short_gather(team_of(op)->handle, here(op->dest), here(source), op->count, op->target);
}

static int plan_scatter(struct operation* op, struct random* r) {
  plan_blocks(op, r);
  op->source = random_symmetric(r, op->width, all_bytes(op));
  op->dest = random_symmetric(r, op->width, 400 * op->width);
  return claim_blocks(op, op->source, claim_read, op->dest, claim_write);
}
static void model_scatter(const struct operation* op) {
  for (int i = 0; i < team_of(op)->size; i++)
    if (!op->value || i != op->target)
      model_write(op, team_of(op)->members[i], op->dest, model_at(root_of(op), block_of(op, op->source, i)),
                  bytes_of(op, i));
}
static void run_scatter(const struct operation* op) {
  const int mine = place_of_me(op);
  if (mine < 0) return;
  const struct place dest = op->value && mine == op->target ? block_of(op, op->source, mine) : op->dest;
  size_t displs[most_pes];
  displacements(op, displs);
  if (op->variant)
    shmemx_short_scatterv(team_of(op)->handle, here(dest), op->counts[mine], here(op->source),
                          mine == op->target ? op->counts : NULL, mine == op->target ? displs : NULL, op->target);
  else
    shmemx_short_scatter(team_of(op)->handle, here(dest), here(op->source), op->count, op->target);
}

// ---- all to all with different lengths
// --------------------------------------------------------------------------

static size_t length(const struct operation* op, int from, int to) {
  return (op->counts[from] + 7 * (size_t)to) % (op->count + 1);
}
static size_t dest_at(const struct operation* op, int from, int to) {
  size_t at = 0;
  for (int i = 0; i < from; i++) at += length(op, i, to) + op->bsize;
  return at;
}
static size_t source_at(const struct operation* op, int from, int to) {
  size_t at = 0;
  for (int i = 0; i < to; i++) at += length(op, from, i) + op->bsize;
  return at;
}
static int plan_alltoallv(struct operation* op, struct random* r) {
  plan_blocks(op, r);
  const struct team* team = team_of(op);
  const size_t room = (size_t)team->size * (op->count + op->bsize) * op->width;
  op->dest = random_symmetric(r, op->width, room);
  op->source = random_symmetric(r, op->width, room);
  for (int to = 0; to < team->size; to++)
    for (int from = 0; from < team->size; from++) {
      const size_t bytes = length(op, from, to) * op->width;
      if (!claim_read(team->members[from], beyond(op->source, source_at(op, from, to) * op->width), bytes)) return 0;
      if (!claim_write(team->members[to], beyond(op->dest, dest_at(op, from, to) * op->width), bytes)) return 0;
    }
  return 1;
}
static void model_alltoallv(const struct operation* op) {
  const struct team* team = team_of(op);
  for (int to = 0; to < team->size; to++)
    for (int from = 0; from < team->size; from++)
      model_write(op, team->members[to], beyond(op->dest, dest_at(op, from, to) * op->width),
                  model_at(team->members[from], beyond(op->source, source_at(op, from, to) * op->width)),
                  length(op, from, to) * op->width);
}
static void run_alltoallv(const struct operation* op) {
  const int mine = place_of_me(op);
  size_t in[most_pes], in_at[most_pes], out[most_pes], out_at[most_pes];
  for (int i = 0; mine >= 0 && i < team_of(op)->size; i++) {
    in[i] = length(op, i, mine);
    in_at[i] = dest_at(op, i, mine);
    out[i] = length(op, mine, i);
    out_at[i] = source_at(op, mine, i);
  }
  if (mine >= 0) shmemx_short_alltoallv(team_of(op)->handle, here(op->dest), in, in_at, here(op->source), out, out_at);
}

// ---- sums with one result for the root, or with a share for each PE
// --------------------------------------------------------------------

static uint64_t sum_at(const struct operation* op, size_t i) {
  uint64_t sum = 0;
  for (int from = 0; from < team_of(op)->size; from++)
    sum += *(const uint64_t*)model_at(team_of(op)->members[from], beyond(op->source, WORD * i));
  return sum;
}

static int plan_sum_to_root(struct operation* op, struct random* r) {
  plan_blocks(op, r);
  op->width = WORD;
  op->value = (uint64_t)random_int(r, EVERYWHERE + 1);
  op->source = random_symmetric(r, WORD, op->count * WORD);
  op->dest = op->value == EVERYWHERE ? op->source : random_symmetric(r, WORD, op->count * WORD);
  if (op->value == NOWHERE && !claim_write(root_of(op), op->dest, op->count * WORD)) return 0;
  for (int i = 0; i < team_of(op)->size; i++) {
    claim_call* const claim = op->value != NOWHERE && i == op->target ? claim_write : claim_read;
    if (!claim(team_of(op)->members[i], op->source, op->count * WORD)) return 0;
  }
  return 1;
}
static void model_sum_to_root(const struct operation* op) {
  const struct place dest = op->value == NOWHERE ? op->dest : op->source;
  for (size_t i = 0; i < op->count; i++) {
    const uint64_t sum = sum_at(op, i);
    model_write(op, root_of(op), beyond(dest, WORD * i), &sum, WORD);
  }
}
static void run_sum_to_root(const struct operation* op) {
  const int mine = place_of_me(op);
  if (mine < 0) return;
  const int is_in_place = op->value == ON_THE_ROOT && mine == op->target;
  shmemx_uint64_sum_reduce_to_root(team_of(op)->handle, here(is_in_place ? op->source : op->dest), here(op->source),
                                   op->count, op->target);
}

static size_t share_at(const struct operation* op, int i) {
  size_t at = 0;
  for (int j = 0; j < i; j++) at += op->counts[j];
  return at;
}
// In place, the dest of each PE is its own share of source.
static struct place share_of(const struct operation* op, int i) {
  return op->value ? beyond(op->source, WORD * share_at(op, i)) : op->dest;
}
static int plan_shared_sum(struct operation* op, struct random* r) {
  plan_blocks(op, r);
  op->width = WORD;
  const int size = team_of(op)->size;
  for (int i = 0; i < size; i++) op->counts[i] %= 61;
  op->count = op->counts[0];
  const size_t all = share_at(op, size);
  op->source = random_symmetric(r, WORD, all * WORD);
  op->dest = random_symmetric(r, WORD, 61 * WORD);
  for (int i = 0; i < size; i++) {
    const int pe = team_of(op)->members[i];
    const size_t before = share_at(op, i) * WORD, mine = op->counts[i] * WORD;
    const struct place after = beyond(op->source, before + mine);
    if (!claim_write(pe, share_of(op, i), mine)) return 0;
    if (!claim_read(pe, op->source, before) || !claim_read(pe, after, all * WORD - before - mine)) return 0;
    if (!op->value && !claim_read(pe, beyond(op->source, before), mine)) return 0;
  }
  return 1;
}
// No PE writes into the share of another one, so the order of the shares does not matter.
static void model_shared_sum(const struct operation* op) {
  for (int i = 0; i < team_of(op)->size; i++)
    for (size_t k = 0; k < op->counts[i]; k++) {
      const uint64_t sum = sum_at(op, share_at(op, i) + k);
      model_write(op, team_of(op)->members[i], beyond(share_of(op, i), WORD * k), &sum, WORD);
    }
}
static void run_shared_sum(const struct operation* op) {
  const int mine = place_of_me(op);
  if (mine < 0) return;
  if (op->variant)
    shmemx_uint64_sum_reduce_scatterv(team_of(op)->handle, here(share_of(op, mine)), here(op->source), op->counts);
  else
    shmemx_uint64_sum_reduce_scatter(team_of(op)->handle, here(share_of(op, mine)), here(op->source), op->count);
}

const struct operation_kind extended_kinds[] = {
    {"gather", 4, plan_gather, model_gather, run_gather},
    {"scatter", 4, plan_scatter, model_scatter, run_scatter},
    {"alltoallv", 3, plan_alltoallv, model_alltoallv, run_alltoallv},
    {"sum to a root", 4, plan_sum_to_root, model_sum_to_root, run_sum_to_root},
    {"shared sum", 4, plan_shared_sum, model_shared_sum, run_shared_sum},
    {NULL, 0, NULL, NULL, NULL}};
