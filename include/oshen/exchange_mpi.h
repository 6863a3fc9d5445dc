/* Exchange strategies that send by MPI: what OpenSHMEM is compared with.
 *
 * `mpi` (Irecv, pack, Send, Waitany), `mpi_isend` and `mpi_alltoallv` become rows of the table of
 * oshen/exchange.h, for plans that name them and for "auto". They are in a library of their own,
 * one for each ABI of MPI: liboshen-exchange-mpi-openmpi.a, liboshen-exchange-mpi-mpich.a.
 */
#ifndef OSHEN_EXCHANGE_MPI_H
#define OSHEN_EXCHANGE_MPI_H

#include <mpi.h>

#include "exchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Adds the rows. Rank r of `world` must be PE r (shmemx_init_mpi makes it so); `world` must live
 * until oshen_exchange_leave_mpi. Collective over all PEs, before the first plan. False when it has
 * been called before. */
int oshen_exchange_use_mpi(MPI_Comm world);

/** Frees the communicators that plans have used. Collective over all PEs, after all such plans are
 * gone and before MPI is finalised. The rows stay, but plans with them are refused from now on. */
void oshen_exchange_leave_mpi(void);

#ifdef __cplusplus
}
#endif
#endif
