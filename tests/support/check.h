// Checks of PEs: the first that fails names its place and its PE, and ends the job with status 1. No PE then waits for
// another that has ended.
#pragma once

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn)) static inline void check_failed(const char* what, const char* where) {
  fprintf(stderr, "%sPE %d of %d: not true: %s\n", where, shmem_my_pe(), shmem_n_pes(), what);
  shmem_global_exit(1);
  abort();
}

__attribute__((noreturn)) static inline void check_failed_at(const char* what, const char* file, int line,
                                                             const char* during) {
  char where[300];
  snprintf(where, sizeof where, "%s:%d: %s%s", file, line, during, during[0] ? ": " : "");
  check_failed(what, where);
}

#define CHECK(condition) ((condition) ? (void)0 : check_failed_at(#condition, __FILE__, __LINE__, ""))
// `during` says what the PE was doing.
#define CHECK_DURING(condition, during) \
  ((condition) ? (void)0 : check_failed_at(#condition, __FILE__, __LINE__, during))

static inline void require(int holds, const char* what) {
  if (!holds) check_failed(what, "");
}
