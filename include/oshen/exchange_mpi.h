/* Exchange strategies that use MPI, for comparison with those of OpenSHMEM.
 *
 * They are `mpi` (Irecv, pack, Send, Waitany), `mpi_isend` and `mpi_alltoallv`, for plans that name them and for
 * "auto". There is one library for each ABI of MPI: liboshen-exchange-mpi-openmpi.a, liboshen-exchange-mpi-mpich.a and,
 * for that of MPI 5 (mpicc_abi), liboshen-exchange-mpi-abi.a.
 */
#ifndef OSHEN_EXCHANGE_MPI_H
#define OSHEN_EXCHANGE_MPI_H

#include <mpi.h>

#include "exchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Adds the strategies to the table of oshen/exchange.h. Rank r of `world` must be PE r, as after shmemx_init_mpi.
 * `world` must exist until oshen_exchange_leave_mpi. Collective over all PEs, before the first plan. Returns false
 * on a second call. */
int oshen_exchange_use_mpi(MPI_Comm world);

/** Frees the communicators of plans with these strategies. Collective over all PEs, after all such plans are
 * destroyed and before MPI_Finalize. The strategies stay in the table, but new plans with them are refused. */
void oshen_exchange_leave_mpi(void);

#ifdef __cplusplus
}
#endif
#endif
