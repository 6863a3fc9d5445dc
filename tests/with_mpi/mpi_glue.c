/* OpenSHMEM inside MPI, through oshen/mpi.h. Each MPI's own compiler builds it; one run executes one scenario:
 * mpi_glue world | sub | again | threads | nested | bad */
#include <mpi.h>
#include <oshen/mpi.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/check_mpi.h"

static int rank, size;
static long counter; /* symmetric static data */

/* OpenSHMEM over `comm` works, and so does MPI at the same time. */
static void exercise(MPI_Comm comm) {
  int my_rank, n, i, sum = 0;
  long* heap;
  MPI_Comm_rank(comm, &my_rank);
  MPI_Comm_size(comm, &n);
  CHECK(shmem_my_pe() == my_rank);
  CHECK(shmem_n_pes() == n);
  heap = (long*)shmem_calloc((size_t)n, sizeof *heap);
  CHECK(heap != NULL);
  counter = 0;
  shmem_barrier_all();
  for (i = 0; i < n; i++) {
    shmem_long_p(&heap[my_rank], 100L + my_rank, i);
    shmem_long_atomic_add(&counter, my_rank + 1, i);
  }
  MPI_Allreduce(&my_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == n * (n - 1) / 2);
  shmem_barrier_all();
  for (i = 0; i < n; i++) CHECK(heap[i] == 100 + i);
  CHECK(counter == (long)n * (n + 1) / 2);
  shmem_free(heap);
}

/* A team in the order of a communicator that is neither sorted nor a regular stride. */
static void team_of_communicator(void) {
  MPI_Comm comm;
  shmem_team_t team;
  static int mine, total;
  int i, n, mine_in_comm, expected = 0;
  const int color = rank == size - 1 && size > 2 ? MPI_UNDEFINED : rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, (rank * 7) % 5, &comm);
  CHECK(shmemx_team_from_mpi_comm(comm, &team) == 0);
  if (comm == MPI_COMM_NULL) {
    CHECK(team == SHMEM_TEAM_INVALID);
    return;
  }
  MPI_Comm_rank(comm, &mine_in_comm);
  MPI_Comm_size(comm, &n);
  CHECK(shmem_team_my_pe(team) == mine_in_comm);
  CHECK(shmem_team_n_pes(team) == n);
  for (i = 0; i < n; i++) {
    int pe = i == mine_in_comm ? rank : -1;
    MPI_Bcast(&pe, 1, MPI_INT, i, comm);
    CHECK(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD) == pe);
  }
  mine = rank + 1;
  CHECK(shmem_int_sum_reduce(team, &total, &mine, 1) == 0);
  MPI_Allreduce(&mine, &expected, 1, MPI_INT, MPI_SUM, comm);
  CHECK(total == expected);
  MPI_Comm_free(&comm); /* the team is still usable */
  shmem_team_sync(team);
  shmem_team_destroy(team);
}

static void world(void) {
  CHECK(shmemx_init_mpi(MPI_COMM_WORLD) == 0);
  exercise(MPI_COMM_WORLD);
  team_of_communicator();
  shmem_finalize();
}

/* The even ranks only, and then the others, in reverse order: ranks and PEs differ from those of the world. */
static void sub(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  if (rank % 2 == 0) {
    CHECK(shmemx_init_mpi(comm) == 0);
    exercise(comm);
    shmem_finalize();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank % 2 == 1) {
    CHECK(shmemx_init_mpi(comm) == 0);
    MPI_Comm_free(&comm); /* the library has its own copy */
    shmem_barrier_all();
    shmem_finalize();
  } else {
    MPI_Comm_free(&comm);
  }
}

static void again(void) {
  int round, running;
  for (round = 0; round < 3; round++) {
    world();
    shmem_query_initialized(&running);
    CHECK(!running);
    sub();
  }
}

static void nested(void) {
  CHECK(shmemx_init_mpi(MPI_COMM_WORLD) == 0);
  CHECK(shmemx_init_mpi(MPI_COMM_WORLD) == 0);
  exercise(MPI_COMM_WORLD);
  shmem_finalize();
  exercise(MPI_COMM_WORLD);
  shmem_finalize();
}

static void threads(void) {
  int provided = -1, level = -1;
  CHECK(shmemx_init_thread_mpi(MPI_COMM_WORLD, SHMEM_THREAD_MULTIPLE, &provided) == 0);
  CHECK(provided == SHMEM_THREAD_MULTIPLE);
  shmem_query_thread(&level);
  CHECK(level == provided);
  exercise(MPI_COMM_WORLD);
  shmem_finalize();
}

/* Before MPI_Init, on a null communicator, and a team of processes that are not PEs. */
static void bad(void) {
  shmem_team_t team;
  CHECK(shmemx_init_mpi(MPI_COMM_NULL) != 0);
  CHECK(shmemx_team_from_mpi_comm(MPI_COMM_WORLD, &team) != 0);
  CHECK(team == SHMEM_TEAM_INVALID);
  world(); /* none of this has done harm */
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } scenarios[] = {{"world", world},   {"sub", sub},         {"again", again},
                   {"nested", nested}, {"threads", threads}, {"bad", bad}};
  const char* wanted = argc > 1 ? argv[1] : "";
  size_t i;
  int before = shmemx_init_mpi(MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(before != 0); /* MPI was not running */
  for (i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    if (strcmp(wanted, scenarios[i].name) != 0) continue;
    scenarios[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("mpi_glue %s: all right on %d ranks\n", wanted, size);
    MPI_Finalize();
    return 0;
  }
  fprintf(stderr, "mpi_glue: no scenario '%s'\n", wanted);
  MPI_Abort(MPI_COMM_WORLD, 2);
  return 2;
}
