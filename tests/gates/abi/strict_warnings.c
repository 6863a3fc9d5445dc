/* SPDX-License-Identifier: BSD-3-Clause
 * The macros of the headers cause no warnings with strict options: -Wshadow in both languages, -Wold-style-cast and
 * -Wzero-as-null-pointer-constant in C++. */
#include <shmem.h>
#include <shmemx.h>

static shmem_team_t teams[] = {SHMEM_TEAM_INVALID, SHMEM_TEAM_WORLD, SHMEM_TEAM_SHARED};
static shmem_ctx_t contexts[] = {SHMEM_CTX_INVALID, SHMEM_CTX_DEFAULT};
static shmemx_request_t request = SHMEMX_REQUEST_INVALID;
static shmemx_graph_t graph = SHMEMX_GRAPH_INVALID;
static const long options[] = {SHMEM_CTX_PRIVATE, SHMEM_CTX_SESSION_BATCH,     SHMEM_TEAM_NUM_CONTEXTS,
                               SHMEM_SYNC_VALUE,  SHMEM_MALLOC_ATOMICS_REMOTE, SHMEM_CMP_GE,
                               _SHMEM_SYNC_VALUE};

int strict_warnings(long* dest, const long* source);
int strict_warnings(long* dest, const long* source) {
  shmem_put(dest, source, 1, 0);
  shmem_put(contexts[1], dest, source, 1, 0);
  shmem_atomic_add(dest, 1, 0);
  shmem_sum_reduce(teams[1], dest, source, 1);
  return request == SHMEMX_REQUEST_INVALID && graph == SHMEMX_GRAPH_INVALID && options[0] != 0;
}
