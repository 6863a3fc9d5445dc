/* OpenSHMEM inside an MPI program.
 *
 * Header only: your own mpicc compiles it with the ABI of your MPI, and liboshen does not depend on MPI.
 *
 *     MPI_Init(&argc, &argv);
 *     if (shmemx_init_mpi(MPI_COMM_WORLD) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
 *     ...                       // MPI and OpenSHMEM side by side; shmem_my_pe() == rank
 *     shmem_finalize();
 *     MPI_Finalize();
 *
 * Build: mpicc $(pkg-config --cflags oshen) program.c $(pkg-config --libs oshen)
 *
 * Initialise MPI first. The library calls MPI from the thread that is inside an initialisation or finalisation routine.
 * If that is not always the main thread, MPI_THREAD_SERIALIZED is needed.
 *
 * The library calls MPI until the last shmem_finalize, so an initialisation keeps a duplicate of its communicator. An
 * attribute of MPI_COMM_SELF frees the duplicates inside MPI_Finalize. A new initialisation over the same ranks reuses
 * the duplicate.
 */
#ifndef OSHEN_MPI_H
#define OSHEN_MPI_H

#include <mpi.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdlib.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the functions below are C */
extern "C" {
#endif

/* One initialisation, in a linked list: its communicator and callbacks, which the library uses until the last
 * shmem_finalize. */
typedef struct oshen_mpi_link {
  MPI_Comm comm; /* the duplicate; MPI_COMM_NULL from MPI_Finalize on */
  shmemx_init_attr_t attr;
  struct oshen_mpi_link* next;
} oshen_mpi_link_t;

/* The callbacks of attr. A link is never freed, so that a shmem_finalize after MPI_Finalize gets an error instead of a
 * freed communicator. */

static inline int oshen_mpi_allgather(void* context, const void* mine, void* all, size_t bytes) {
  const oshen_mpi_link_t* link = (const oshen_mpi_link_t*)context;
  if (link->comm == MPI_COMM_NULL || bytes > (size_t)0x7fffffff) return 1;
  return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, link->comm) != MPI_SUCCESS;
}

static inline int oshen_mpi_barrier(void* context) {
  const oshen_mpi_link_t* link = (const oshen_mpi_link_t*)context;
  if (link->comm == MPI_COMM_NULL) return 1;
  return MPI_Barrier(link->comm) != MPI_SUCCESS;
}

static inline void oshen_mpi_abort(void* context, int status) {
  const oshen_mpi_link_t* link = (const oshen_mpi_link_t*)context;
  if (link->comm == MPI_COMM_NULL) exit(status);
  MPI_Abort(MPI_COMM_WORLD, status); /* with another communicator MPICH 4.0 does not end the job */
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, while communicators can still be freed. */
static inline int oshen_mpi_at_finalize(MPI_Comm self, int keyval, void* anchor, void* extra) {
  oshen_mpi_link_t* link;
  (void)self, (void)keyval, (void)extra;
  for (link = ((oshen_mpi_link_t*)anchor)->next; link != NULL; link = link->next)
    if (link->comm != MPI_COMM_NULL) MPI_Comm_free(&link->comm);
  return MPI_SUCCESS;
}

/* The head of the list of links, attached to MPI_COMM_SELF on first use. */
static inline oshen_mpi_link_t* oshen_mpi_anchor(void) {
  static oshen_mpi_link_t anchor;
  static int tied = 0;
  int keyval;
  if (tied) return &anchor;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, oshen_mpi_at_finalize, &keyval, NULL) != MPI_SUCCESS) return NULL;
  if (MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &anchor) != MPI_SUCCESS) return NULL;
  MPI_Comm_free_keyval(&keyval); /* freed together with the attribute */
  tied = 1;
  return &anchor;
}

/* The link for `comm`: an earlier one with the same ranks, or a new one. All ranks of `comm` find the same link,
 * because links are created collectively. */
static inline oshen_mpi_link_t* oshen_mpi_link_for(MPI_Comm comm) {
  oshen_mpi_link_t* anchor = oshen_mpi_anchor();
  oshen_mpi_link_t* link;
  int same = MPI_UNEQUAL;
  if (anchor == NULL) return NULL;
  for (link = anchor->next; link != NULL; link = link->next)
    if (MPI_Comm_compare(link->comm, comm, &same) == MPI_SUCCESS && same == MPI_CONGRUENT) return link;
  link = (oshen_mpi_link_t*)calloc(1, sizeof *link);
  if (link == NULL) MPI_Abort(MPI_COMM_WORLD, 1); /* other ranks may already wait in the collective call */
  if (MPI_Comm_dup(comm, &link->comm) != MPI_SUCCESS) {
    free(link);
    return NULL;
  }
  link->next = anchor->next;
  anchor->next = link;
  return link;
}

/** Initialises OpenSHMEM on the processes of `comm`, with at least the thread level `requested`.
 *
 * Collective over `comm`, an intra-communicator. The PE number is the rank in `comm`, the number of PEs its size. Other
 * processes take no part. `comm` may be freed afterwards. Repeated calls have the meaning of repeated initialisation in
 * OpenSHMEM. After the last shmem_finalize it may be called again, also with another communicator.
 *
 * @param requested  SHMEM_THREAD_SINGLE to SHMEM_THREAD_MULTIPLE, independent of the level of MPI.
 *
 * @param provided   receives the level in force; may be NULL.
 *
 * @return 0; non-zero if MPI is not initialised or the library cannot start. Then it is not initialised.
 */
static inline int shmemx_init_thread_mpi(MPI_Comm comm, int requested, int* provided) {
  oshen_mpi_link_t* link;
  int running = 0, ended = 0, status;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (!running || ended || comm == MPI_COMM_NULL) return 1;
  link = oshen_mpi_link_for(comm);
  if (link == NULL) return 1;
  link->attr.size = sizeof link->attr;
  MPI_Comm_rank(link->comm, &link->attr.pe);
  MPI_Comm_size(link->comm, &link->attr.n_pes);
  link->attr.requested = requested;
  link->attr.context = link;
  link->attr.allgather = oshen_mpi_allgather;
  link->attr.barrier = oshen_mpi_barrier;
  link->attr.abort = oshen_mpi_abort;
  status = shmemx_init_attr(&link->attr);
  if (status == 0 && provided != NULL) *provided = link->attr.provided;
  return status;
}

/** shmemx_init_thread_mpi with SHMEM_THREAD_SINGLE. Collective over `comm`; 0 or non-zero. */
static inline int shmemx_init_mpi(MPI_Comm comm) { return shmemx_init_thread_mpi(comm, SHMEM_THREAD_SINGLE, NULL); }

/* The PE number of this process, -1 if OpenSHMEM is not initialised in it. */
static inline int oshen_mpi_my_pe(void) {
  int running = 0;
  shmem_query_initialized(&running);
  return running ? shmem_my_pe() : -1;
}

/** Creates the team of the processes of `comm`: member i of the team is rank i of `comm`.
 *
 * Collective over `comm`, an intra-communicator whose processes are all PEs. The team does not depend on `comm`
 * afterwards. It exists until shmem_team_destroy or the last shmem_finalize. A process with MPI_COMM_NULL (the result
 * of MPI_Comm_split for MPI_UNDEFINED) may call too: it gets SHMEM_TEAM_INVALID and 0.
 *
 * @return 0; on errors non-zero on all ranks of `comm`, with *team = SHMEM_TEAM_INVALID.
 */
static inline int shmemx_team_from_mpi_comm(MPI_Comm comm, shmem_team_t* team) {
  int n = 0, i, mine, status = 1;
  int* pes;
  *team = SHMEM_TEAM_INVALID;
  if (comm == MPI_COMM_NULL) return 0;
  MPI_Comm_size(comm, &n);
  mine = oshen_mpi_my_pe();
  pes = (int*)malloc((size_t)n * sizeof *pes);
  if (pes == NULL) MPI_Abort(MPI_COMM_WORLD, 1); /* other ranks may already wait in the collective call */
  if (MPI_Allgather(&mine, 1, MPI_INT, pes, 1, MPI_INT, comm) == MPI_SUCCESS) status = 0;
  for (i = 0; i < n; i++)
    if (pes[i] < 0) status = 1;
  if (status == 0) status = shmemx_team_create_from_list(pes, n, team);
  free(pes);
  return status;
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
#endif
