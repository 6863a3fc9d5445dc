// Loops of reductions and scans into one dest, with nothing between the calls. A result must hold from the return of
// its call until the PE makes the next one, at every size and with PEs that are ahead or late. The operands follow from
// a formula, so every PE checks its results by itself and the model has nothing to do.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "contexts.h"

enum { most_elements = 48 * 1024, most_rounds = 6 };

static uint64_t results[most_elements], operands[most_elements];
enum { SUM, MAX, INSCAN, EXSCAN, REDUCTIONS };

// `operand` of a member in a round; the product spreads over all bits, so that an old value never looks right.
static uint64_t operand(const struct operation* op, int member, int round, size_t i) {
  return (op->value + (uint64_t)member * 1000003u + (uint64_t)round * 7919u + i) * 0x9e3779b97f4a7c15u;
}

static uint64_t expected(const struct operation* op, int my_place, int round, size_t i) {
  const int size = teams[op->team].size;
  const int end = op->variant == INSCAN ? my_place + 1 : op->variant == EXSCAN ? my_place : size;
  uint64_t value = 0;
  for (int member = 0; member < end; member++) {
    const uint64_t next = operand(op, member, round, i);
    value = op->variant != MAX ? value + next : next > value ? next : value;
  }
  return value;
}

static void check(const struct operation* op, int my_place, int round, const char* when) {
  const size_t step = op->count / 64 + 1;  // some elements between, and all at both ends
  for (size_t i = 0; i < op->count; i += i < 16 || i + 16 + step >= op->count ? 1 : step) {
    const uint64_t right = expected(op, my_place, round, i);
    if (results[i] == right) continue;
    fprintf(stderr,
            "PE %d: repeated reduction %d, team %d of %d PEs, %zu elements, round %d, %s: element %zu is "
            "%016llx, not %016llx\n",
            me, op->variant, op->team, teams[op->team].size, op->count, round, when, i, (unsigned long long)results[i],
            (unsigned long long)right);
    fflush(stderr);
    shmem_global_exit(1);
  }
}

static void call(const struct operation* op) {
  const shmem_team_t team = teams[op->team].handle;
  switch (op->variant) {
    case SUM: shmem_uint64_sum_reduce(team, results, operands, op->count); break;
    case MAX: shmem_uint64_max_reduce(team, results, operands, op->count); break;
    case INSCAN: shmem_uint64_sum_inscan(team, results, operands, op->count); break;
    default: shmem_uint64_sum_exscan(team, results, operands, op->count);
  }
}

// One such loop in a phase, since it has buffers of its own: it claims the last cell of every PE.
static int plan_repeated(struct operation* op, struct random* r) {
  op->team = random_int(r, team_count);
  op->variant = random_int(r, REDUCTIONS);
  op->count = 1 + random_size(r, most_elements - 1);
  op->width = (size_t)random_int(r, teams[op->team].size);  // the late member
  op->bsize = (size_t)random_int(r, 2);                     // whether it looks again before its next call
  op->value = random_word(r);
  const struct place turn = {HEAP, data_bytes + 8 * (cells - 1)};
  for (int pe = 0; pe < n_pes; pe++)
    if (!claim_write(pe, turn, 8)) return 0;
  return 1;
}

static void model_repeated(const struct operation* op) { (void)op; }

static void run_repeated(const struct operation* op) {
  const struct team* team = &teams[op->team];
  const int place = team_place(team, me), late = place == (int)op->width;
  if (place < 0) return;
  memset(results, 0xee, op->count * 8);
  shmem_team_sync(team->handle);  // every dest is ready
  for (int round = 0; round < most_rounds; round++) {
    for (size_t i = 0; i < op->count; i++) operands[i] = operand(op, place, round, i);
    call(op);
    check(op, place, round, "at the return");
    if (!late || !op->bsize) continue;
    const struct timespec pause = {0, 300000};
    nanosleep(&pause, NULL);
    check(op, place, round, "before the next call");
  }
}

const struct operation_kind repeated_kinds[] = {{"repeated reduction", 3, plan_repeated, model_repeated, run_repeated},
                                                {NULL, 0, NULL, NULL, NULL}};
