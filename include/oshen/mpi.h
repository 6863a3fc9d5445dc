/* OpenSHMEM inside an MPI program.
 *
 * Header only: it is compiled by your own mpicc, so it speaks the ABI of your MPI and the library
 * itself knows none.
 *
 *     MPI_Init(&argc, &argv);
 *     if (shmemx_init_mpi(MPI_COMM_WORLD) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
 *     ...                       // MPI and OpenSHMEM side by side; shmem_my_pe() == rank
 *     shmem_finalize();
 *     MPI_Finalize();
 *
 * Build: mpicc $(pkg-config --cflags oshen) program.c $(pkg-config --libs oshen)
 *
 * MPI must be initialised first. The library calls back from the thread that is inside an
 * initialisation or finalisation routine, so MPI_THREAD_SERIALIZED is enough when that thread is
 * not always the main one.
 *
 * An initialisation keeps a duplicate of the communicator it was given, because the library goes
 * on calling back until the last shmem_finalize. The duplicates are freed inside MPI_Finalize, by
 * an attribute of MPI_COMM_SELF; starting again over a communicator with the same ranks uses the
 * duplicate that is there.
 */
#ifndef OSHEN_MPI_H
#define OSHEN_MPI_H

#include <mpi.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One start-up of the library: what it may read and call until the last shmem_finalize, and an
 * older one. */
typedef struct oshen_mpi_link {
  MPI_Comm comm; /* our duplicate; MPI_COMM_NULL once MPI_Finalize has begun */
  shmemx_init_attr_t attr;
  struct oshen_mpi_link* next;
} oshen_mpi_link_t;

/* The callbacks of attr. A link outlives MPI, so that a shmem_finalize that comes after
 * MPI_Finalize is told so and does not use a freed communicator. */

static inline int oshen_mpi_allgather(void* context, const void* mine, void* all, size_t bytes) {
  const oshen_mpi_link_t* link = (const oshen_mpi_link_t*)context;
  if (link->comm == MPI_COMM_NULL || bytes > (size_t)0x7fffffff) return 1;
  return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, link->comm) !=
         MPI_SUCCESS;
}

static inline int oshen_mpi_barrier(void* context) {
  const oshen_mpi_link_t* link = (const oshen_mpi_link_t*)context;
  if (link->comm == MPI_COMM_NULL) return 1;
  return MPI_Barrier(link->comm) != MPI_SUCCESS;
}

static inline void oshen_mpi_abort(void* context, int status) {
  const oshen_mpi_link_t* link = (const oshen_mpi_link_t*)context;
  if (link->comm == MPI_COMM_NULL) exit(status);
  MPI_Abort(MPI_COMM_WORLD, status); /* MPICH 4.0 does not end the job on another communicator */
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first of all, while communicators may still
 * be freed. */
static inline int oshen_mpi_at_finalize(MPI_Comm self, int keyval, void* anchor, void* extra) {
  oshen_mpi_link_t* link;
  (void)self, (void)keyval, (void)extra;
  for (link = ((oshen_mpi_link_t*)anchor)->next; link != NULL; link = link->next)
    if (link->comm != MPI_COMM_NULL) MPI_Comm_free(&link->comm);
  return MPI_SUCCESS;
}

/* The head of the chain of links, tied to MPI_COMM_SELF on first use. */
static inline oshen_mpi_link_t* oshen_mpi_anchor(void) {
  static oshen_mpi_link_t anchor;
  static int tied = 0;
  int keyval;
  if (tied) return &anchor;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, oshen_mpi_at_finalize, &keyval, NULL) !=
      MPI_SUCCESS)
    return NULL;
  if (MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &anchor) != MPI_SUCCESS) return NULL;
  MPI_Comm_free_keyval(&keyval); /* goes with the attribute */
  tied = 1;
  return &anchor;
}

/* The link for `comm`: one made earlier for the same ranks, or a new one. The ranks of `comm` agree
 * on which, since each of them made it in a call that was collective over them. */
static inline oshen_mpi_link_t* oshen_mpi_link_for(MPI_Comm comm) {
  oshen_mpi_link_t* anchor = oshen_mpi_anchor();
  oshen_mpi_link_t* link;
  int same = MPI_UNEQUAL;
  if (anchor == NULL) return NULL;
  for (link = anchor->next; link != NULL; link = link->next)
    if (MPI_Comm_compare(link->comm, comm, &same) == MPI_SUCCESS && same == MPI_CONGRUENT)
      return link;
  link = (oshen_mpi_link_t*)calloc(1, sizeof *link);
  if (link == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1); /* the others are already on their way into the collective call */
  if (MPI_Comm_dup(comm, &link->comm) != MPI_SUCCESS) {
    free(link);
    return NULL;
  }
  link->next = anchor->next;
  anchor->next = link;
  return link;
}

/** Starts OpenSHMEM over the processes of `comm`, with at least the thread level `requested`.
 *
 * Collective over `comm`, an intra-communicator. PE number = rank in `comm`, number of PEs = its
 * size; processes outside `comm` take no part. `comm` may be freed afterwards. May be called again,
 * with the meaning that OpenSHMEM gives to repeated initialisation, and again after the last
 * shmem_finalize, also over other communicators.
 *
 * @param requested  SHMEM_THREAD_SINGLE .. SHMEM_THREAD_MULTIPLE (OpenSHMEM's level; MPI's is its
 * own)
 * @param provided   receives the level in force; may be NULL
 * @return 0, or non-zero when MPI is not running or the library could not start; then nothing was
 * started
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
static inline int shmemx_init_mpi(MPI_Comm comm) {
  return shmemx_init_thread_mpi(comm, SHMEM_THREAD_SINGLE, NULL);
}

/* This process's number in SHMEM_TEAM_WORLD, -1 when OpenSHMEM is not running in it. */
static inline int oshen_mpi_my_pe(void) {
  int running = 0;
  shmem_query_initialized(&running);
  return running ? shmem_my_pe() : -1;
}

/** Makes the team of the processes of `comm`: member i of the team is rank i of `comm`.
 *
 * Collective over `comm`, an intra-communicator whose processes are all PEs; nobody else need call.
 * The team is independent of `comm` afterwards and ends with shmem_team_destroy or the last
 * shmem_finalize. A process that has no such communicator (MPI_COMM_NULL, as MPI_Comm_split gives
 * for MPI_UNDEFINED) may call too: it gets SHMEM_TEAM_INVALID and 0.
 *
 * @return 0, or non-zero on all ranks of `comm` with *team = SHMEM_TEAM_INVALID
 */
static inline int shmemx_team_from_mpi_comm(MPI_Comm comm, shmem_team_t* team) {
  int n = 0, i, mine, status = 1;
  int* pes;
  *team = SHMEM_TEAM_INVALID;
  if (comm == MPI_COMM_NULL) return 0;
  MPI_Comm_size(comm, &n);
  mine = oshen_mpi_my_pe();
  pes = (int*)malloc((size_t)n * sizeof *pes);
  if (pes == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1); /* the others are already on their way into the collective call */
  if (MPI_Allgather(&mine, 1, MPI_INT, pes, 1, MPI_INT, comm) == MPI_SUCCESS) status = 0;
  for (i = 0; i < n; i++)
    if (pes[i] < 0) status = 1;
  if (status == 0) status = shmemx_team_create_from_list(pes, n, team);
  free(pes);
  return status;
}

#ifdef __cplusplus
}
#endif
#endif
