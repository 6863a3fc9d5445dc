// The collectives that OpenSHMEM has too, with the names and loops of ../micro.
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
  MPI_Allreduce(source == dest ? MPI_IN_PLACE : source, dest, (int)elements, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void fcollect(long* dest, long* source, long elements, long operation) {
  (void)operation;
  MPI_Allgather(source, (int)elements, MPI_LONG, dest, (int)elements, MPI_LONG, MPI_COMM_WORLD);
}

static void alltoall(long* dest, long* source, long elements, long operation) {
  (void)operation;
  MPI_Alltoall(source, (int)elements, MPI_LONG, dest, (int)elements, MPI_LONG, MPI_COMM_WORLD);
}

// MPI needs the count of each process beforehand.
static void collect(long* dest, long* source, long elements, long operation) {
  (void)operation;
  int counts[page_max_pes], places[page_max_pes], end = 0;
  for (int pe = 0; pe < bench_pes; ++pe) {
    counts[pe] = (int)collective_share(elements, pe);
    places[pe] = end;
    end += counts[pe];
  }
  MPI_Allgatherv(source, counts[bench_me], MPI_LONG, dest, counts, places, MPI_LONG, MPI_COMM_WORLD);
}

static MPI_Datatype strided_block = MPI_DATATYPE_NULL;

static void describe_block(long elements) {
  MPI_Datatype every_other;
  if (strided_block != MPI_DATATYPE_NULL) MPI_Type_free(&strided_block);
  MPI_Type_vector((int)collective_strided(elements), 1, (int)collective_stride(elements), MPI_LONG, &every_other);
  MPI_Type_create_resized(every_other, 0, elements * (long)sizeof(long), &strided_block);
  MPI_Type_free(&every_other);
  MPI_Type_commit(&strided_block);
}

static void alltoalls(long* dest, long* source, long elements, long operation) {
  (void)operation;
  (void)elements;
  MPI_Alltoall(source, 1, strided_block, dest, 1, strided_block, MPI_COMM_WORLD);
}

static void inscan(long* dest, long* source, long elements, long operation) {
  (void)operation;
  MPI_Scan(source, dest, (int)elements, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void exscan(long* dest, long* source, long elements, long operation) {
  (void)operation;
  MPI_Exscan(source, dest, (int)elements, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void prepare(long size) {
  static const collective_calls calls = {broadcast, sum, fcollect, alltoall, collect, alltoalls, inscan, exscan};
  static long *source, *destination;
  const size_t bytes = ((size_t)size * (size_t)bench_pes + 4095) / 4096 * 4096;
  free(source);
  free(destination);
  source = aligned_alloc(4096, bytes);
  destination = aligned_alloc(4096, 2 * bytes);
  if (source == NULL || destination == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  memset(source, 0, bytes);
  memset(destination, 0, 2 * bytes);
  describe_block(size / 8);
  collective_begin(&calls, size / 8, source, destination);
}

static const bench_case cases[] = {
    {"broadcast", "Bcast, root goes round", reference_line, prepare, collective_broadcast, collective_valid,
     bench_everyone, collective_sizes},
    {"sum", "Allreduce", reference_exchange, prepare, collective_sum, collective_valid, bench_everyone,
     collective_sizes},
    {"fcollect", "Allgather", reference_exchange, prepare, collective_fcollect, collective_valid, bench_everyone,
     collective_sizes},
    {"alltoall", "Alltoall", reference_exchange, prepare, collective_alltoall, collective_valid, bench_everyone,
     collective_sizes},
    {"collect", "Allgatherv", reference_exchange, prepare, collective_collect, collective_valid, bench_everyone,
     collective_sizes},
    {"alltoalls", "Alltoall, vector datatype", reference_exchange, prepare, collective_alltoalls, collective_valid,
     bench_everyone, collective_sizes},
    {"broadcast", "Bcast", reference_line, prepare, collective_broadcast_root0, collective_valid, bench_stamped,
     collective_sizes},
    {"sum", "Allreduce", reference_exchange, prepare, collective_sum, collective_valid, bench_stamped,
     collective_sizes},
    {"fcollect", "Allgather", reference_exchange, prepare, collective_fcollect, collective_valid, bench_stamped,
     collective_sizes},
    {"alltoall", "Alltoall", reference_exchange, prepare, collective_alltoall, collective_valid, bench_stamped,
     collective_sizes},
    {"collect", "Allgatherv", reference_exchange, prepare, collective_collect, collective_valid, bench_stamped,
     collective_sizes},
    {"alltoalls", "Alltoall, vector datatype", reference_exchange, prepare, collective_alltoalls, collective_valid,
     bench_stamped, collective_sizes},
    {"sum_in_place", "Allreduce, MPI_IN_PLACE", reference_exchange, prepare, collective_sum_in_place, collective_valid,
     bench_everyone, collective_sizes},
    {"inscan", "Scan", reference_exchange, prepare, collective_inscan, collective_valid, bench_stamped,
     collective_sizes},
    {"exscan", "Exscan", reference_exchange, prepare, collective_exscan, collective_valid, bench_stamped,
     collective_sizes},
    {"skewed.broadcast", "Bcast, processes come up to 20 us late", reference_line, prepare, collective_broadcast_root0,
     collective_valid, bench_skewed, collective_sizes},
    {"skewed.sum", "Allreduce, late", reference_exchange, prepare, collective_sum, collective_valid, bench_skewed,
     collective_sizes},
    {"skewed.fcollect", "Allgather, late", reference_exchange, prepare, collective_fcollect, collective_valid,
     bench_skewed, collective_sizes},
    {"skewed.alltoall", "Alltoall, late", reference_exchange, prepare, collective_alltoall, collective_valid,
     bench_skewed, collective_sizes},
    {0}};

BENCH_CASES(bench_any_pes, cases)

// Fault: an Allreduce in place adds nothing.
// Noticed by: sum_in_place
#ifdef BENCH_FAULT
int MPI_Allreduce(const void* s, void* d, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
  return s == MPI_IN_PLACE ? MPI_SUCCESS : PMPI_Allreduce(s, d, n, t, o, c);
}
#endif
