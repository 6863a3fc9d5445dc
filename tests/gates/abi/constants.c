/* SPDX-License-Identifier: BSD-3-Clause
 * Constants can be used wherever the standard (sections 6 and 7) allows them: in static initialisers, array lengths,
 * switch labels and assertions. Compiled as C11 and as C++17. */
#include <shmem.h>

#include <stdio.h>
#include <string.h>

#ifndef __cplusplus
#define static_assert _Static_assert
#endif

static shmem_team_t teams[] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED};
static shmem_ctx_t contexts[] = {SHMEM_CTX_INVALID, SHMEM_CTX_DEFAULT};
static const char name[] = SHMEM_VENDOR_STRING;
static long psync[7][SHMEM_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE + SHMEM_BARRIER_SYNC_SIZE +
                     SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_ALLTOALLS_SYNC_SIZE] = {
    {SHMEM_SYNC_VALUE}};
static double pwrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static shmem_team_config_t config = {3};
static shmem_ctx_session_config_t session = {5};

static_assert(SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION == 6, "version of the standard");
static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED && SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED &&
                  SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE,
              "thread levels increase");
static_assert((SHMEM_CTX_SERIALIZED & SHMEM_CTX_PRIVATE) == 0 && (SHMEM_CTX_PRIVATE & SHMEM_CTX_NOSTORE) == 0 &&
                  (SHMEM_CTX_SERIALIZED & SHMEM_CTX_NOSTORE) == 0 && SHMEM_CTX_SERIALIZED != 0 &&
                  SHMEM_CTX_PRIVATE != 0 && SHMEM_CTX_NOSTORE != 0,
              "context options are disjoint bits");
static_assert((SHMEM_MALLOC_ATOMICS_REMOTE & SHMEM_MALLOC_SIGNAL_REMOTE) == 0, "hints are disjoint bits");
static_assert(SHMEM_TEAM_NUM_CONTEXTS != 0 && SHMEM_CTX_SESSION_TOTAL_OPS != 0 && SHMEM_CTX_SESSION_BATCH != 0,
              "masks and options are bits");
static_assert(sizeof(SHMEM_CTX_SERIALIZED) == sizeof(long) && sizeof(SHMEM_MALLOC_SIGNAL_REMOTE) == sizeof(long) &&
                  sizeof(SHMEM_SYNC_VALUE) == sizeof(long),
              "options, hints and the pSync value are long");
static_assert(sizeof(SHMEM_VENDOR_STRING) <= SHMEM_MAX_NAME_LEN, "the name fits its buffer");
static_assert(_SHMEM_MAJOR_VERSION == SHMEM_MAJOR_VERSION && _SHMEM_MINOR_VERSION == SHMEM_MINOR_VERSION &&
                  _SHMEM_MAX_NAME_LEN == SHMEM_MAX_NAME_LEN && _SHMEM_SYNC_VALUE == SHMEM_SYNC_VALUE &&
                  _SHMEM_BARRIER_SYNC_SIZE == SHMEM_BARRIER_SYNC_SIZE &&
                  _SHMEM_BCAST_SYNC_SIZE == SHMEM_BCAST_SYNC_SIZE &&
                  _SHMEM_COLLECT_SYNC_SIZE == SHMEM_COLLECT_SYNC_SIZE &&
                  _SHMEM_REDUCE_SYNC_SIZE == SHMEM_REDUCE_SYNC_SIZE &&
                  _SHMEM_REDUCE_MIN_WRKDATA_SIZE == SHMEM_REDUCE_MIN_WRKDATA_SIZE && _SHMEM_CMP_EQ == SHMEM_CMP_EQ &&
                  _SHMEM_CMP_NE == SHMEM_CMP_NE && _SHMEM_CMP_LT == SHMEM_CMP_LT && _SHMEM_CMP_LE == SHMEM_CMP_LE &&
                  _SHMEM_CMP_GT == SHMEM_CMP_GT && _SHMEM_CMP_GE == SHMEM_CMP_GE,
              "the deprecated names are aliases");

/* Two equal labels would not compile. */
static int comparison(int cmp) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return 1;
    case SHMEM_CMP_NE: return 2;
    case SHMEM_CMP_LT: return 3;
    case SHMEM_CMP_LE: return 4;
    case SHMEM_CMP_GT: return 5;
    case SHMEM_CMP_GE: return 6;
    default: return 0;
  }
}

static int signal_operator(int sig_op) {
  switch (sig_op) {
    case SHMEM_SIGNAL_SET: return 1;
    case SHMEM_SIGNAL_ADD: return 2;
    default: return 0;
  }
}

int main(void) {
  int wrong = 0;
  wrong += teams[0] == teams[1] || teams[1] == teams[2] || teams[0] == teams[2];
  wrong += contexts[0] == contexts[1];
  wrong += (uintptr_t)teams[1] != OSHEN_TEAM_WORLD || (uintptr_t)teams[2] != OSHEN_TEAM_SHARED;
  wrong += (uintptr_t)teams[0] != OSHEN_TEAM_INVALID || (uintptr_t)contexts[0] != OSHEN_CTX_INVALID;
  wrong += (uintptr_t)contexts[1] != OSHEN_CTX_DEFAULT;
  wrong += comparison(SHMEM_CMP_GE) != 6 || signal_operator(SHMEM_SIGNAL_ADD) != 2;
  wrong += strcmp(name, _SHMEM_VENDOR_STRING) != 0;
  wrong += psync[0][0] != SHMEM_SYNC_VALUE || sizeof psync[0] / sizeof psync[0][0] < 7;
  wrong += pwrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE - 1] != 0;
  wrong += config.num_contexts != 3 || session.total_ops != 5;
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
