/* Exchange plans in an MPI program, from a communicator: no PEs, teams, arenas or groups to manage.
 *
 *     MPI_Init(&argc, &argv);
 *     oshen_plan_t* plan = oshen_plan_create_mpi(MPI_COMM_WORLD, &attr);  // peers are ranks of the communicator
 *     for (...) oshen_plan_run(plan, in, out);
 *     oshen_plan_destroy(plan);
 *     MPI_Finalize();
 *
 * The first call brings up OpenSHMEM on the processes of its communicator, and takes half of the symmetric heap for
 * plans; memory is used only when it is touched. MPI_Finalize returns everything. Later calls accept any communicator
 * of these processes. If the first plan is for fewer processes than later ones, call oshen_start_mpi(MPI_COMM_WORLD)
 * before it.
 *
 * Header only: your own mpicc compiles it with the ABI of your MPI. oshen/mpi_fft.h is the same for transforms.
 *
 * Build: mpicc $(pkg-config --cflags oshen-exchange) program.c $(pkg-config --libs oshen-exchange)
 *
 * Errors print one line and end the whole MPI job. One thread at a time may use these calls and the plans.
 */
#ifndef OSHEN_MPI_PLANS_H
#define OSHEN_MPI_PLANS_H

#include <stdlib.h>

#include "exchange.h"
#include "mpi.h"

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the functions below are C */
extern "C" {
#endif

/* ---- the part that does not depend on the ABI of MPI; for these headers only */

/* Creates the arena that all plans from communicators have in common. Collective over all PEs. `job` is not negative.
 */
oshen_status_t oshen_mpi_common_open(size_t bytes, int job);
int oshen_mpi_common_job(void); /* -1 unless open */
/* The group of the PEs in `pes`, created once for each list. Collective over the PEs of the list. */
oshen_status_t oshen_mpi_common_group(const int* pes, int n_pes, oshen_group_t** group);
/* Destroys the groups and the arena. Collective over all PEs, after all plans are destroyed. */
void oshen_mpi_common_close(void);
/* Prints a line about a routine, and waits until a launcher has read what this process printed. */
void oshen_mpi_common_report(const char* routine, const char* what);
void oshen_mpi_common_report_space(const char* routine, size_t needed, size_t heap);

/* ---- groups */

/* Prints a line, unless `what` is NULL, and ends the MPI job. */
static inline void oshen_mpi_fail(const char* routine, const char* what) {
  int running = 0, ended = 0;
  oshen_mpi_common_report(routine, what);
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (running && !ended) MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

/* The same for an error that all ranks of `comm` find: only rank 0 prints. */
static inline void oshen_mpi_fail_together(const char* routine, MPI_Comm comm, const char* what) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) oshen_mpi_common_report(routine, what);
  MPI_Barrier(comm);
  oshen_mpi_fail(routine, NULL);
}

/* The same for too little symmetric memory. `needed`: bytes of one block, or 0. */
static inline void oshen_mpi_fail_space(const char* routine, MPI_Comm comm, size_t needed) {
  shmemx_heap_info_t heap;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  shmemx_heap_info(&heap, sizeof heap);
  if (rank == 0) oshen_mpi_common_report_space(routine, needed, heap.bytes);
  oshen_mpi_fail_together(routine, comm, NULL);
}

static inline void oshen_mpi_check_comm(const char* routine, MPI_Comm comm) {
  int running = 0, ended = 0, inter = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (!running || ended) oshen_mpi_fail(routine, "MPI is not initialised: call it after MPI_Init");
  if (comm == MPI_COMM_NULL) oshen_mpi_fail(routine, "comm = MPI_COMM_NULL: expected an intra-communicator");
  MPI_Comm_test_inter(comm, &inter);
  if (inter) oshen_mpi_fail(routine, "comm is an inter-communicator: expected an intra-communicator");
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, the latest one before that of oshen/mpi.h. */
static inline int oshen_mpi_plans_end(MPI_Comm self, int keyval, void* value, void* extra) {
  (void)self, (void)keyval, (void)value, (void)extra;
  oshen_mpi_common_close();
  shmem_finalize();
  return MPI_SUCCESS;
}

/* The state of a rank, which all ranks of a communicator exchange. */
typedef struct oshen_mpi_member {
  int state; /* 0: without OpenSHMEM; 1: a PE; 2: a PE with the common arena */
  int pe;
  int job;  /* rank of PE 0 in MPI_COMM_WORLD if the state is 2: separate jobs of OpenSHMEM differ in it */
  int rank; /* in MPI_COMM_WORLD */
} oshen_mpi_member_t;

/* The members of `comm`, to be freed by the caller. Collective over `comm`. */
static inline oshen_mpi_member_t* oshen_mpi_members(MPI_Comm comm, int* n) {
  oshen_mpi_member_t mine = {0, oshen_mpi_my_pe(), oshen_mpi_common_job(), 0};
  oshen_mpi_member_t* all;
  const int ints = (int)(sizeof mine / sizeof(int));
  mine.state = mine.job >= 0 ? 2 : mine.pe >= 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &mine.rank);
  MPI_Comm_size(comm, n);
  all = (oshen_mpi_member_t*)malloc((size_t)*n * sizeof *all);
  if (all == NULL) MPI_Abort(MPI_COMM_WORLD, 1); /* other ranks may already wait in the collective call */
  MPI_Allgather(&mine, ints, MPI_INT, all, ints, MPI_INT, comm);
  return all;
}

/* Whether the members are PEs of one job in the same state. */
static inline int oshen_mpi_members_fit(const oshen_mpi_member_t* all, int n) {
  int i;
  for (i = 1; i < n; i++)
    if (all[i].state != all[0].state || all[i].job != all[0].job) return 0;
  return all[0].state != 1 || n == shmem_n_pes();
}

/* Creates the common arena, after OpenSHMEM has started on `comm`. Returns 0, or non-zero on all ranks. */
static inline int oshen_mpi_open_arena(MPI_Comm comm) {
  int n = 0, i = 0, keyval = MPI_KEYVAL_INVALID;
  oshen_mpi_member_t* all = oshen_mpi_members(comm, &n);
  shmemx_heap_info_t heap;
  oshen_status_t status;
  while (i < n - 1 && all[i].pe != 0) i++;
  shmemx_heap_info(&heap, sizeof heap);
  status = oshen_mpi_common_open(heap.largest_free / 2, all[i].rank);
  free(all);
  if (status != OSHEN_OK) return 1;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, oshen_mpi_plans_end, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
  MPI_Comm_free_keyval(&keyval); /* freed together with the attribute */
  return 0;
}

/* Brings up OpenSHMEM and the common arena, unless an earlier call has. Returns NULL, or a reason on all ranks. */
static inline const char* oshen_mpi_open(MPI_Comm comm) {
  int n = 0, fit, state;
  oshen_mpi_member_t* all = oshen_mpi_members(comm, &n);
  fit = oshen_mpi_members_fit(all, n);
  state = all[0].state;
  free(all);
  if (!fit)
    return "comm is not the processes of one OpenSHMEM job, or a part of them after a start: call "
           "oshen_start_mpi(MPI_COMM_WORLD) before the first plan";
  if (state == 2) return NULL;
  if (shmemx_init_mpi(comm) != 0) return "cannot start OpenSHMEM on the processes of comm";
  if (oshen_mpi_open_arena(comm) != 0) return "too little symmetric memory: set SHMEM_SYMMETRIC_SIZE to more";
  return NULL;
}

/* Finds or creates the group of a valid communicator. Returns NULL, or a reason on all ranks. */
static inline const char* oshen_mpi_find_group(MPI_Comm comm, oshen_group_t** group) {
  int n = 0, i;
  int* pes;
  oshen_mpi_member_t* all;
  oshen_status_t status;
  const char* reason = oshen_mpi_open(comm);
  *group = NULL;
  if (reason != NULL) return reason;
  all = oshen_mpi_members(comm, &n);
  pes = (int*)malloc((size_t)n * sizeof *pes);
  if (pes == NULL) MPI_Abort(MPI_COMM_WORLD, 1); /* as above */
  for (i = 0; i < n; i++) pes[i] = all[i].pe;
  status = oshen_mpi_common_group(pes, n, group);
  free(pes);
  free(all);
  return status == OSHEN_OK ? NULL : oshen_status_text(status);
}

/** Brings up OpenSHMEM on the processes of `comm`, and takes half of the free symmetric heap for plans. Collective
 * over `comm`. Needed only if the first plan is for fewer processes than later ones. Further calls have no effect. The
 * program need not call shmem_finalize: MPI_Finalize ends this part. It may use OpenSHMEM by itself as well. */
static inline void oshen_start_mpi(MPI_Comm comm) {
  const char* reason;
  oshen_mpi_check_comm("oshen_start_mpi", comm);
  reason = oshen_mpi_open(comm);
  if (reason != NULL) oshen_mpi_fail_together("oshen_start_mpi", comm, reason);
}

static inline oshen_group_t* oshen_mpi_group_for(const char* routine, MPI_Comm comm) {
  oshen_group_t* group;
  const char* reason;
  oshen_mpi_check_comm(routine, comm);
  reason = oshen_mpi_find_group(comm, &group);
  if (reason != NULL) oshen_mpi_fail_together(routine, comm, reason);
  return group;
}

/** Returns the group of the processes of `comm`: member i is rank i. Collective over `comm`, which may be freed
 * afterwards. For programs that create plans with oshen_plan_create or oshen_fft_create and handle errors themselves.
 * The group belongs to the library: do not destroy it. The same ranks get the same group. */
static inline oshen_group_t* oshen_group_from_mpi_comm(MPI_Comm comm) {
  return oshen_mpi_group_for("oshen_group_from_mpi_comm", comm);
}

/* ---- plans */

/** Creates an exchange plan: oshen_plan_create on the processes of `comm`. Collective over `comm`. A peer in `attr` is
 * a rank of `comm`. Run the plan with the calls of oshen/exchange.h, and destroy it with oshen_plan_destroy before
 * MPI_Finalize; its memory is then free for other plans. Returns the plan; errors end the job. */
static inline oshen_plan_t* oshen_plan_create_mpi(MPI_Comm comm, const oshen_plan_attr_t* attr) {
  static const char routine[] = "oshen_plan_create_mpi";
  oshen_plan_t* plan = NULL;
  oshen_status_t status;
  oshen_group_t* group = oshen_mpi_group_for(routine, comm);
  if (attr == NULL) oshen_mpi_fail(routine, "attr = NULL: expected the attributes of a plan");
  status = oshen_plan_create(group, attr, &plan);
  if (status == OSHEN_NO_SPACE) oshen_mpi_fail_space(routine, comm, 0);
  if (status != OSHEN_OK) oshen_mpi_fail(routine, NULL); /* oshen_plan_create has printed the reason */
  return plan;
}

/** Creates the plan of a halo: oshen_halo_create on the processes of `comm`, as above. Member i of the grid is rank i.
 * `attr` may be NULL. */
static inline oshen_plan_t* oshen_halo_create_mpi(MPI_Comm comm, const oshen_halo_t* halo,
                                                  const oshen_plan_attr_t* attr) {
  static const char routine[] = "oshen_halo_create_mpi";
  oshen_plan_t* plan = NULL;
  oshen_status_t status;
  oshen_group_t* group = oshen_mpi_group_for(routine, comm);
  if (halo == NULL) oshen_mpi_fail(routine, "halo = NULL: expected the description of an array");
  status = oshen_halo_create(group, halo, attr, &plan);
  if (status == OSHEN_NO_SPACE) oshen_mpi_fail_space(routine, comm, 0);
  if (status != OSHEN_OK) oshen_mpi_fail(routine, NULL); /* oshen_halo_create has printed the reason */
  return plan;
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
#endif
