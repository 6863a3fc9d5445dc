// Waits for several flags: some PEs raise their flags on one PE, by calls of several kinds, and that PE waits for all
// of them with one of the vector calls. The flags are objects of this file. They only grow; `goals` is the model.
#include <stdint.h>
#include <stdio.h>
#include "contexts.h"

static uint64_t flags[most_pes];            // flags[i] is raised by PE i
static uint64_t goals[most_pes][most_pes];  // goals[pe][i]: the value of flags[i] of that PE; the same on all PEs

// At most one such wait in a phase: it claims the last cell but one of every PE.
static int plan_waits(struct operation* op, struct random* r);

static void model_waits(const struct operation* op) {
  for (int pe = 0; pe < n_pes; pe++)
    if (op->count >> pe & 1) goals[op->target][pe] += op->value;
}

static void raise_flag(const struct operation* op) {
  uint64_t* flag = &flags[me];
  switch (op->bsize) {
    case 0: shmem_uint64_atomic_add(flag, op->value, op->target); break;
    case 1: shmem_uint64_p(flag, goals[op->target][me], op->target); break;
    default: shmem_ctx_signal_add(SHMEM_CTX_DEFAULT, flag, op->value, op->target);
  }
}

// One call. `status` leaves out the flags that have been seen; the calls with one value leave out all but `first`,
// because goals differ. Returns how many indices it wrote.
typedef size_t one_call(size_t* seen, const int* status, size_t first, const int* others);

static const uint64_t* mine(void) { return goals[me]; }
static size_t every(size_t* seen, const int* status) {
  size_t n = 0;
  for (size_t i = 0; i < (size_t)n_pes; i++)
    if (!status[i]) seen[n++] = i;
  return n;
}
static size_t one(size_t* seen, size_t i) {
  seen[0] = i;
  return i != SIZE_MAX;
}
static size_t wait_all(size_t* seen, const int* status, size_t first, const int* others) {
  (void)status;
  shmem_uint64_wait_until_all(flags, (size_t)n_pes, others, SHMEM_CMP_GE, mine()[first]);
  return one(seen, first);
}
static size_t wait_any(size_t* seen, const int* status, size_t first, const int* others) {
  (void)status;
  return one(seen, shmem_uint64_wait_until_any(flags, (size_t)n_pes, others, SHMEM_CMP_GE, mine()[first]));
}
static size_t wait_some(size_t* seen, const int* status, size_t first, const int* others) {
  (void)status;
  return shmem_uint64_wait_until_some(flags, (size_t)n_pes, seen, others, SHMEM_CMP_GE, mine()[first]);
}
static size_t wait_all_vector(size_t* seen, const int* status, size_t first, const int* others) {
  (void)first, (void)others;
  shmem_uint64_wait_until_all_vector(flags, (size_t)n_pes, status, SHMEM_CMP_GE, goals[me]);
  return every(seen, status);
}
static size_t wait_any_vector(size_t* seen, const int* status, size_t first, const int* others) {
  (void)first, (void)others;
  return one(seen, shmem_uint64_wait_until_any_vector(flags, (size_t)n_pes, status, SHMEM_CMP_GE, goals[me]));
}
static size_t wait_some_vector(size_t* seen, const int* status, size_t first, const int* others) {
  (void)first, (void)others;
  return shmem_uint64_wait_until_some_vector(flags, (size_t)n_pes, seen, status, SHMEM_CMP_GE, goals[me]);
}
static size_t test_all_vector(size_t* seen, const int* status, size_t first, const int* others) {
  (void)first, (void)others;
  return shmem_uint64_test_all_vector(flags, (size_t)n_pes, status, SHMEM_CMP_GE, goals[me]) ? every(seen, status) : 0;
}
static size_t test_any_vector(size_t* seen, const int* status, size_t first, const int* others) {
  (void)first, (void)others;
  return one(seen, shmem_uint64_test_any_vector(flags, (size_t)n_pes, status, SHMEM_CMP_GE, goals[me]));
}
static size_t test_some_vector(size_t* seen, const int* status, size_t first, const int* others) {
  (void)first, (void)others;
  return shmem_uint64_test_some_vector(flags, (size_t)n_pes, seen, status, SHMEM_CMP_GE, goals[me]);
}

static one_call* const calls[] = {wait_all,         wait_any,        wait_some,       wait_all_vector, wait_any_vector,
                                  wait_some_vector, test_all_vector, test_any_vector, test_some_vector};
enum { call_count = sizeof calls / sizeof *calls };

static int plan_waits(struct operation* op, struct random* r) {
  op->variant = random_int(r, call_count);
  op->value = 1 + random_below(r, 5);
  op->count = random_below(r, (size_t)1 << n_pes);  // a bit for each PE that raises its flag
  op->bsize = random_below(r, 3);                   // by which call
  const struct place turn = {HEAP, data_bytes + 8 * (cells - 2)};
  for (int pe = 0; pe < n_pes; pe++)
    if (!claim_write(pe, turn, 8)) return 0;
  return 1;
}

static void check_flag(const struct operation* op, size_t i, int* status) {
  if (i < (size_t)n_pes && !status[i] && flags[i] == goals[me][i]) {
    status[i] = 1;
    return;
  }
  fprintf(stderr, "PE %d: vector wait %d returned index %zu, which %s\n", me, op->variant, i,
          i >= (size_t)n_pes || status[i] ? "it does not wait for" : "has not arrived");
  fflush(stderr);
  shmem_global_exit(1);
}

static void run_waits(const struct operation* op) {
  if (op->count >> me & 1) raise_flag(op);
  if (op->target != me) return;
  int status[most_pes] = {0};
  for (int left = n_pes; left > 0;) {
    size_t first = 0, seen[most_pes];
    while (status[first]) first++;
    int others[most_pes];
    for (size_t i = 0; i < (size_t)n_pes; i++) others[i] = i != first;
    const size_t n = calls[op->variant](seen, status, first, others);
    for (size_t i = 0; i < n; i++) check_flag(op, seen[i], status);
    left -= (int)n;
  }
}

const struct operation_kind waiting_kinds[] = {{"vector wait", 6, plan_waits, model_waits, run_waits},
                                               {NULL, 0, NULL, NULL, NULL}};
