/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C interface of fftMPI for 2-D arrays, carried out by Oshen: fft2d_* and remap2d_*. Include oshen/fftmpi.h, whose
 * rules hold here too. */
#ifndef OSHEN_FFTMPI_2D_H
#define OSHEN_FFTMPI_2D_H

#ifndef OSHEN_FFTMPI_H
#error "include oshen/fftmpi.h"
#endif

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the functions below are C */
extern "C" {
#endif

/* A box of a 2-D array. permute = 1: the slow axis is the fastest in memory. */
static inline oshen_fft_box_t oshen_fftmpi_box2d(const char* routine, const int low[2], const int high[2],
                                                 int permute) {
  oshen_fft_box_t box;
  int a;
  if (permute < 0 || permute > 1) oshen_mpi_fail(routine, "permute is out of range: expected 0 or 1");
  for (a = 0; a < 2; a++) {
    box.low[a] = low[a];
    box.size[a] = high[a] - low[a] + 1;
    box.order[a] = a ^ permute;
  }
  box.low[2] = 0;
  box.size[2] = 1;
  box.order[2] = 2;
  return box;
}

static inline void oshen_fftmpi_needs_setup2d(const char* routine, void* fft) {
  if (((oshen_fftmpi_fft_t*)fft)->fft == NULL)
    oshen_mpi_fail(routine, "the transform has no geometry: call fft2d_setup first");
}

OSHEN_FFTMPI_API void fft2d_create(MPI_Comm comm, int precision, void** fft) { fft3d_create(comm, precision, fft); }
OSHEN_FFTMPI_API void fft2d_destroy(void* fft) { fft3d_destroy(fft); }
OSHEN_FFTMPI_API void fft2d_set(void* fft, const char* keyword, int value) { fft3d_set(fft, keyword, value); }
OSHEN_FFTMPI_API void* fft2d_get(void* fft, const char* keyword) { return fft3d_get(fft, keyword); }
OSHEN_FFTMPI_API int fft2d_get_int(void* fft, const char* keyword) { return fft3d_get_int(fft, keyword); }
OSHEN_FFTMPI_API double fft2d_get_double(void* fft, const char* keyword) { return fft3d_get_double(fft, keyword); }
OSHEN_FFTMPI_API int64_t fft2d_get_int64(void* fft, const char* keyword) { return fft3d_get_int64(fft, keyword); }
OSHEN_FFTMPI_API char* fft2d_get_string(void* fft, const char* keyword, int* len) {
  return fft3d_get_string(fft, keyword, len);
}
OSHEN_FFTMPI_API int* fft2d_get_int_vector(void* fft, const char* keyword, int* len) {
  return fft3d_get_int_vector(fft, keyword, len);
}
OSHEN_FFTMPI_API double* fft2d_get_double_vector(void* fft, const char* keyword, int* len) {
  return fft3d_get_double_vector(fft, keyword, len);
}

/** Sets the geometry: an array of nfast x nslow complex numbers, and the first and last index of this rank along each
 * axis, before and after a forward transform. `fftsize`: the complex numbers of the larger box. */
OSHEN_FFTMPI_API void fft2d_setup(void* fft, int nfast, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi,
                                  int out_ilo, int out_ihi, int out_jlo, int out_jhi, int permute, int* fftsize,
                                  int* sendsize, int* recvsize) {
  oshen_fftmpi_fft_t* const it = (oshen_fftmpi_fft_t*)fft;
  const int in_low[2] = {in_ilo, in_jlo}, in_high[2] = {in_ihi, in_jhi};
  const int out_low[2] = {out_ilo, out_jlo}, out_high[2] = {out_ihi, out_jhi};
  it->attr.extent[0] = nfast, it->attr.extent[1] = nslow, it->attr.extent[2] = 1;
  it->attr.in = oshen_fftmpi_box2d("fft2d_setup", in_low, in_high, 0);
  it->attr.out = oshen_fftmpi_box2d("fft2d_setup", out_low, out_high, permute);
  oshen_fftmpi_setup("fft2d_setup", it, it->attr.effort, fftsize);
  *sendsize = *recvsize = 0;
}

/** The same, with measurements: see fft3d_tune. */
OSHEN_FFTMPI_API void fft2d_tune(void* fft, int nfast, int nslow, int in_ilo, int in_ihi, int in_jlo, int in_jhi,
                                 int out_ilo, int out_ihi, int out_jlo, int out_jhi, int permute, int* fftsize,
                                 int* sendsize, int* recvsize, int flag, int niter, double tmax, int tflag) {
  oshen_fftmpi_fft_t* const it = (oshen_fftmpi_fft_t*)fft;
  (void)flag, (void)tflag;
  it->npertrial = niter;
  it->attr.effort = tmax <= 0 || tmax >= 1 ? OSHEN_FFT_MEASURE : OSHEN_FFT_BRIEF;
  fft2d_setup(fft, nfast, nslow, in_ilo, in_ihi, in_jlo, in_jhi, out_ilo, out_ihi, out_jlo, out_jhi, permute, fftsize,
              sendsize, recvsize);
}

/** Accepted for programs that lend message buffers; has no effect. */
OSHEN_FFTMPI_API void fft2d_setup_memory(void* fft, FFT_SCALAR* sendbuf, FFT_SCALAR* recvbuf) {
  fft3d_setup_memory(fft, sendbuf, recvbuf);
}

/** Transforms: forward if `flag` is 1, backward if it is -1. `in` may be `out`. */
OSHEN_FFTMPI_API void fft2d_compute(void* fft, FFT_SCALAR* in, FFT_SCALAR* out, int flag) {
  oshen_fftmpi_needs_setup2d("fft2d_compute", fft);
  fft3d_compute(fft, in, out, flag);
}

/** Moves the data as a transform does, and does not transform it. */
OSHEN_FFTMPI_API void fft2d_only_remaps(void* fft, FFT_SCALAR* in, FFT_SCALAR* out, int flag) {
  oshen_fftmpi_needs_setup2d("fft2d_only_remaps", fft);
  fft3d_only_remaps(fft, in, out, flag);
}

/** These calls end the job, as those of fft3d do. */
OSHEN_FFTMPI_API void fft2d_only_1d_ffts(void* fft, FFT_SCALAR* in, int flag) {
  (void)fft, (void)in, (void)flag;
  oshen_mpi_fail("fft2d_only_1d_ffts",
                 "not available: Oshen moves and transforms the data at once; see oshen_fft_stats");
}
OSHEN_FFTMPI_API void fft2d_only_one_remap(void* fft, FFT_SCALAR* in, FFT_SCALAR* out, int flag, int which) {
  (void)fft, (void)in, (void)out, (void)flag, (void)which;
  oshen_mpi_fail("fft2d_only_one_remap", "not available: the layouts between stages differ; use fft2d_only_remaps");
}

/* ---- remap2d */

OSHEN_FFTMPI_API void remap2d_create(MPI_Comm comm, void** remap) { remap3d_create(comm, remap); }
OSHEN_FFTMPI_API void remap2d_destroy(void* remap) { remap3d_destroy(remap); }
/** Accepted; has no effect. */
OSHEN_FFTMPI_API void remap2d_set(void* remap, const char* keyword, int value) { remap3d_set(remap, keyword, value); }

/** Sets the geometry, as fft2d_setup does, of an array with `nqty` numbers in each point. The array ends at the largest
 * index of all ranks. */
OSHEN_FFTMPI_API void remap2d_setup(void* remap, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int out_ilo,
                                    int out_ihi, int out_jlo, int out_jhi, int nqty, int permute, int memoryflag,
                                    int* sendsize, int* recvsize) {
  const int in_low[2] = {in_ilo, in_jlo}, in_high[2] = {in_ihi, in_jhi};
  const int out_low[2] = {out_ilo, out_jlo}, out_high[2] = {out_ihi, out_jhi};
  const oshen_fft_box_t in = oshen_fftmpi_box2d("remap2d_setup", in_low, in_high, 0);
  const oshen_fft_box_t out = oshen_fftmpi_box2d("remap2d_setup", out_low, out_high, permute);
  (void)memoryflag;
  oshen_fftmpi_remap_boxes("remap2d_setup", (oshen_fftmpi_remap_t*)remap, &in, &out, nqty);
  *sendsize = *recvsize = 0;
}

/** Remaps. `in` may be `out`. The buffers for messages have no effect. */
OSHEN_FFTMPI_API void remap2d_remap(void* remap, FFT_SCALAR* in, FFT_SCALAR* out, FFT_SCALAR* sendbuf,
                                    FFT_SCALAR* recvbuf) {
  if (((oshen_fftmpi_remap_t*)remap)->remap == NULL)
    oshen_mpi_fail("remap2d_remap", "the remap has no geometry: call remap2d_setup first");
  remap3d_remap(remap, in, out, sendbuf, recvbuf);
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
#endif
