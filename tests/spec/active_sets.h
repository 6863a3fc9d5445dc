// The active sets of the deprecated collectives: PEs PE_start + i * 2^logPE_stride, i < PE_size, in world numbers. Only
// these PEs make the call. for_each_active_set(body) runs `body` on the members of each set that fits.
#pragma once

#include "check.h"

struct active_set {
  int start, log_stride, size;
};

// The number of this PE in the set; -1 if it is not a member.
static inline int set_place(const struct active_set* set) {
  const int distance = shmem_my_pe() - set->start, stride = 1 << set->log_stride;
  if (distance < 0 || distance % stride || distance / stride >= set->size) return -1;
  return distance / stride;
}

static inline void for_each_active_set(void (*body)(const struct active_set* set, int place)) {
  const int n = shmem_n_pes();
  for (int log_stride = 0; log_stride < 3; log_stride++)
    for (int start = 0; start < n && start < 3; start++) {
      const int most = (n - 1 - start) / (1 << log_stride) + 1;
      for (int size = most; size >= 1; size -= size > 4 ? 3 : 1) {
        const struct active_set set = {start, log_stride, size};
        const int place = set_place(&set);
        shmem_barrier_all();
        if (place >= 0) body(&set, place);
      }
    }
  shmem_barrier_all();
}

// The user initialises pSync arrays before their first use, and a collective restores these values.
static inline void psync_fill(long* psync, int length) {
  for (int i = 0; i < length; i++) psync[i] = SHMEM_SYNC_VALUE;
}
static inline void psync_check(const long* psync, int length, const char* call) {
  for (int i = 0; i < length; i++) CHECK(psync[i] == SHMEM_SYNC_VALUE, "%s left %ld in pSync[%d]", call, psync[i], i);
}
#define SET_ARGUMENTS(set) (set)->start, (set)->log_stride, (set)->size
