// hosts_tell by an MPI under test.
#pragma once
#include <mpi.h>
#include <stddef.h>

static inline void tell_by_mpi(void* data, size_t bytes) { MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
