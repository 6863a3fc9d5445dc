// The collectives that OpenSHMEM has too; names and loops are those of ../micro.
#include "collective.h"

#include <stdlib.h>
#include <string.h>

#include "cases.h"

static void broadcast(long* dest, long* source, long elements, int root, long operation) {
  (void)operation;
  MPI_Bcast(bench_me == root ? source : dest, (int)elements, MPI_LONG, root, MPI_COMM_WORLD);
}

static void sum(long* dest, long* source, long elements, long operation) {
  (void)operation;
  MPI_Allreduce(source, dest, (int)elements, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void fcollect(long* dest, long* source, long elements, long operation) {
  (void)operation;
  MPI_Allgather(source, (int)elements, MPI_LONG, dest, (int)elements, MPI_LONG, MPI_COMM_WORLD);
}

static void alltoall(long* dest, long* source, long elements, long operation) {
  (void)operation;
  MPI_Alltoall(source, (int)elements, MPI_LONG, dest, (int)elements, MPI_LONG, MPI_COMM_WORLD);
}

static void prepare(long size) {
  static const collective_calls calls = {broadcast, sum, fcollect, alltoall};
  static long *source, *destination;
  const size_t bytes = ((size_t)size * (size_t)bench_pes + 4095) / 4096 * 4096;
  free(source);
  free(destination);
  source = aligned_alloc(4096, bytes);
  destination = aligned_alloc(4096, 2 * bytes);
  if (source == NULL || destination == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  memset(source, 0, bytes);
  memset(destination, 0, 2 * bytes);
  collective_begin(&calls, size / 8, source, destination);
}

const bench_case collective_cases[] = {
    {"broadcast", "Bcast, root goes round", reference_line, prepare, collective_broadcast,
     collective_valid, bench_everyone, collective_sizes},
    {"sum", "Allreduce", reference_exchange, prepare, collective_sum, collective_valid,
     bench_everyone, collective_sizes},
    {"fcollect", "Allgather", reference_exchange, prepare, collective_fcollect, collective_valid,
     bench_everyone, collective_sizes},
    {"alltoall", "Alltoall", reference_exchange, prepare, collective_alltoall, collective_valid,
     bench_everyone, collective_sizes},
    {"broadcast", "Bcast", reference_line, prepare, collective_broadcast_root0, collective_valid,
     bench_stamped, collective_sizes},
    {"sum", "Allreduce", reference_exchange, prepare, collective_sum, collective_valid,
     bench_stamped, collective_sizes},
    {"fcollect", "Allgather", reference_exchange, prepare, collective_fcollect, collective_valid,
     bench_stamped, collective_sizes},
    {"alltoall", "Alltoall", reference_exchange, prepare, collective_alltoall, collective_valid,
     bench_stamped, collective_sizes},
    {0}};
