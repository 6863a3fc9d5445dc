/* Distributed FFT and remap in an MPI program, from a communicator: no PEs, teams, arenas or groups to manage.
 *
 *     MPI_Init(&argc, &argv);
 *     oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {128, 128, 128}};
 *     attr.in = attr.out = ...;                                  // the box of this rank
 *     oshen_fft_t* fft = oshen_fft_create_mpi(MPI_COMM_WORLD, &attr);
 *     oshen_fft_forward(fft, data, data, OSHEN_FFT_SCALE_NONE);
 *     oshen_fft_destroy(fft);
 *     MPI_Finalize();
 *
 * oshen/mpi_plans.h describes what the first call starts, and which communicators later calls accept.
 *
 * Build: mpicc $(pkg-config --cflags oshen-fft) program.c $(pkg-config --libs oshen-fft)
 *
 * Errors print one line and end the whole MPI job. One thread at a time may use these calls and the transforms.
 */
#ifndef OSHEN_MPI_FFT_H
#define OSHEN_MPI_FFT_H

#include "fft.h"
#include "mpi_plans.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Creates a transform: oshen_fft_create on the processes of `comm`. Collective over `comm`. The boxes in `attr` are
 * those of this rank. Run it with the calls of oshen/fft.h, and destroy it with oshen_fft_destroy before MPI_Finalize;
 * its memory is then free for other transforms. Returns the transform; errors end the job. */
static inline oshen_fft_t* oshen_fft_create_mpi(MPI_Comm comm, const oshen_fft_attr_t* attr) {
  static const char routine[] = "oshen_fft_create_mpi";
  oshen_fft_t* fft = NULL;
  oshen_status_t status;
  oshen_group_t* group = oshen_mpi_group_for(routine, comm);
  if (attr == NULL) oshen_mpi_fail(routine, "attr = NULL: expected the attributes of a transform");
  status = oshen_fft_create(group, attr, &fft);
  if (status == OSHEN_NO_SPACE) {
    oshen_fft_need_t need;
    oshen_fft_need(group, attr, &need, sizeof need);
    oshen_mpi_fail_space(routine, comm, need.symmetric);
  }
  if (status != OSHEN_OK) oshen_mpi_fail(routine, NULL); /* oshen_fft_create has printed the reason */
  return fft;
}

/** Creates a remap: oshen_remap_create on the processes of `comm`, as above. Destroy it with oshen_remap_destroy. */
static inline oshen_remap_t* oshen_remap_create_mpi(MPI_Comm comm, const oshen_remap_attr_t* attr) {
  static const char routine[] = "oshen_remap_create_mpi";
  oshen_remap_t* remap = NULL;
  oshen_status_t status;
  oshen_group_t* group = oshen_mpi_group_for(routine, comm);
  if (attr == NULL) oshen_mpi_fail(routine, "attr = NULL: expected the attributes of a remap");
  status = oshen_remap_create(group, attr, &remap);
  if (status == OSHEN_NO_SPACE) oshen_mpi_fail_space(routine, comm, 0);
  if (status != OSHEN_OK) oshen_mpi_fail(routine, NULL); /* oshen_remap_create has printed the reason */
  return remap;
}

#ifdef __cplusplus
}
#endif
#endif
