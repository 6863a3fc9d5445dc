// Checks of MPI's ranks: the first that fails names its place and its rank, and ends all ranks.
#pragma once

#include <mpi.h>
#include <stdio.h>

static inline void check_failed_at(const char* what, const char* file, int line) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "%s:%d: rank %d: not true: %s\n", file, line, rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

#define CHECK(condition) ((condition) ? (void)0 : check_failed_at(#condition, __FILE__, __LINE__))
