/* The C interface of fftMPI, carried out by Oshen: fft3d_*, remap3d_*, and the same for 2-D arrays.
 *
 * A program of fftMPI compiles unchanged with the folder oshen/drop_in among its include folders. That has
 * fft3d_wrap.h, remap3d_wrap.h, their 2-D forms, and the headers of the C++ classes (oshen/fftmpi.hpp). Link Oshen in
 * place of fftMPI:
 *
 *     mpicc -I$(pkg-config --variable=includedir oshen)/oshen/drop_in $(pkg-config --cflags oshen-fft) program.c \
 *       $(pkg-config --libs oshen-fft)
 *
 * Programs in Fortran compile two more files with theirs, such as oshen/drop_in/fft3d_wrap.f90 and fftmpi_fortran.c.
 *
 * Numbers are double, or float where FFT_SINGLE is defined. The calls are collective over the communicator of the
 * create call, except set and get. oshen/mpi_plans.h describes what the first setup starts, and which communicators
 * later ones accept. Destroy all objects before MPI_Finalize. Errors print one line and end the MPI job.
 *
 * Differences: Oshen owns its message buffers, so sendsize and recvsize are 0. The settings "collective", "exchange",
 * "pack" and "memory" are accepted and have no effect. A tuning lists no trials. Passes of Oshen move and transform the
 * data at once: fft3d_only_1d_ffts and fft3d_only_one_remap end the job.
 */
#ifndef OSHEN_FFTMPI_H
#define OSHEN_FFTMPI_H

#include <stdint.h>
#include <string.h>

#include "mpi_fft.h"

/* oshen/drop_in/fftmpi_fortran.c defines the calls for Fortran, outside the programs. */
#ifndef OSHEN_FFTMPI_API
#define OSHEN_FFTMPI_API static inline
#endif

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the functions below are C */
extern "C" {
#endif

#ifdef FFT_SINGLE
typedef float FFT_SCALAR;
#define MPI_FFT_SCALAR MPI_FLOAT
#else
typedef double FFT_SCALAR;
#define MPI_FFT_SCALAR MPI_DOUBLE
#endif

/* ---- the common part of transforms and remaps */

/* The box from `low` to `high`, both included, in the order of axes that `permute` selects. */
static inline oshen_fft_box_t oshen_fftmpi_box(const char* routine, const int low[3], const int high[3], int permute) {
  oshen_fft_box_t box;
  int a;
  if (permute < 0 || permute > 2) oshen_mpi_fail(routine, "permute is out of range: expected 0, 1 or 2");
  for (a = 0; a < 3; a++) {
    box.low[a] = low[a];
    box.size[a] = high[a] - low[a] + 1;
    box.order[a] = (a + permute) % 3;
  }
  return box;
}

static inline int oshen_fftmpi_points(const oshen_fft_box_t* box) {
  int a, points = 1;
  for (a = 0; a < 3; a++) points *= box->size[a] > 0 ? box->size[a] : 0;
  return points;
}

/* ---- fft3d */

typedef struct oshen_fftmpi_fft {
  MPI_Comm comm;
  oshen_fft_attr_t attr;
  oshen_fft_t* fft;        /* NULL before setup */
  oshen_remap_t* remap[2]; /* of runs with "remaponly": forward, backward */
  int collective, exchange, packflag, memoryflag, scaled, remaponly;
  int ntrial, npertrial; /* ntrial: always 0 */
  int64_t memusage;
  double setuptime;
} oshen_fftmpi_fft_t;

/** Creates a transform without a geometry. `precision`: 1 for float, 2 for double, which must fit FFT_SCALAR. Local. */
OSHEN_FFTMPI_API void fft3d_create(MPI_Comm comm, int precision, void** fft) {
  oshen_fftmpi_fft_t* it = (oshen_fftmpi_fft_t*)calloc(1, sizeof *it);
  if (precision != (int)sizeof(FFT_SCALAR) / 4)
    oshen_mpi_fail("fft3d_create", "precision does not fit FFT_SCALAR: expected 2, or 1 with FFT_SINGLE defined");
  if (it == NULL) oshen_mpi_fail("fft3d_create", "cannot allocate memory");
  it->comm = comm;
  it->attr.size = sizeof it->attr;
  it->attr.precision = sizeof(FFT_SCALAR) == sizeof(float) ? OSHEN_FFT_FLOAT : OSHEN_FFT_DOUBLE;
  it->collective = it->packflag = 2;
  it->memoryflag = it->scaled = 1;
  *fft = it;
}

OSHEN_FFTMPI_API void fft3d_destroy(void* fft) {
  oshen_fftmpi_fft_t* it = (oshen_fftmpi_fft_t*)fft;
  oshen_remap_destroy(it->remap[1]);
  oshen_remap_destroy(it->remap[0]);
  oshen_fft_destroy(it->fft);
  free(it);
}

/* The variable of a setting, or NULL. */
static inline int* oshen_fftmpi_setting(oshen_fftmpi_fft_t* it, const char* keyword) {
  if (strcmp(keyword, "collective") == 0) return &it->collective;
  if (strcmp(keyword, "exchange") == 0) return &it->exchange;
  if (strcmp(keyword, "pack") == 0) return &it->packflag;
  if (strcmp(keyword, "memory") == 0) return &it->memoryflag;
  if (strcmp(keyword, "scale") == 0) return &it->scaled;
  if (strcmp(keyword, "remaponly") == 0) return &it->remaponly;
  return NULL;
}

/** Sets "scale" (1: backward transforms divide by the number of points, the default), "remaponly" (1: compute moves the
 * data and does not transform), or one of the settings without effect. Other keywords are ignored. Local. */
OSHEN_FFTMPI_API void fft3d_set(void* fft, const char* keyword, int value) {
  int* const setting = oshen_fftmpi_setting((oshen_fftmpi_fft_t*)fft, keyword);
  if (setting != NULL) *setting = value;
}

/** The address of a setting, of "memusage" (int64_t, bytes), of "setuptime" (double, seconds), of "ntrial" or of
 * "npertrial" (int); the text of "fft1d" or "precision"; NULL for other keywords. Local. */
OSHEN_FFTMPI_API void* fft3d_get(void* fft, const char* keyword) {
  static char library[] = "Oshen", single_precision[] = "single", double_precision[] = "double";
  oshen_fftmpi_fft_t* const it = (oshen_fftmpi_fft_t*)fft;
  if (strcmp(keyword, "memusage") == 0) return &it->memusage;
  if (strcmp(keyword, "setuptime") == 0) return &it->setuptime;
  if (strcmp(keyword, "ntrial") == 0) return &it->ntrial;
  if (strcmp(keyword, "npertrial") == 0) return &it->npertrial;
  if (strcmp(keyword, "fft1d") == 0) return library;
  if (strcmp(keyword, "precision") == 0)
    return it->attr.precision == OSHEN_FFT_FLOAT ? single_precision : double_precision;
  return oshen_fftmpi_setting(it, keyword);
}

/** The same values by type. An int, a double or an int64_t is -1 for another keyword, such as the grids of ranks
 * ("npfast1" and so on), and a string is NULL. `len`: the characters of the string. Local. */
OSHEN_FFTMPI_API int fft3d_get_int(void* fft, const char* keyword) {
  const int* value = oshen_fftmpi_setting((oshen_fftmpi_fft_t*)fft, keyword);
  if (strcmp(keyword, "ntrial") == 0 || strcmp(keyword, "npertrial") == 0) value = (const int*)fft3d_get(fft, keyword);
  return value != NULL ? *value : -1;
}
OSHEN_FFTMPI_API double fft3d_get_double(void* fft, const char* keyword) {
  return strcmp(keyword, "setuptime") == 0 ? ((const oshen_fftmpi_fft_t*)fft)->setuptime : -1;
}
OSHEN_FFTMPI_API int64_t fft3d_get_int64(void* fft, const char* keyword) {
  return strcmp(keyword, "memusage") == 0 ? ((const oshen_fftmpi_fft_t*)fft)->memusage : -1;
}
OSHEN_FFTMPI_API char* fft3d_get_string(void* fft, const char* keyword, int* len) {
  char* text = NULL;
  if (strcmp(keyword, "fft1d") == 0 || strcmp(keyword, "precision") == 0) text = (char*)fft3d_get(fft, keyword);
  if (text != NULL) *len = (int)strlen(text);
  return text;
}

/** The settings and times of the trials of a tuning: none, so `len` becomes 0. Local. */
OSHEN_FFTMPI_API int* fft3d_get_int_vector(void* fft, const char* keyword, int* len) {
  (void)fft, (void)keyword;
  *len = 0;
  return NULL;
}
OSHEN_FFTMPI_API double* fft3d_get_double_vector(void* fft, const char* keyword, int* len) {
  (void)fft, (void)keyword;
  *len = 0;
  return NULL;
}

/* The plan of the boxes that the caller has set. */
static inline void oshen_fftmpi_setup(const char* routine, oshen_fftmpi_fft_t* it, oshen_fft_effort_t effort,
                                      int* fftsize) {
  const int in = oshen_fftmpi_points(&it->attr.in), out = oshen_fftmpi_points(&it->attr.out);
  const double start = MPI_Wtime();
  oshen_fft_workspace_t bytes;
  if (it->fft != NULL) oshen_mpi_fail(routine, "the transform has a geometry: call it once for each create");
  it->attr.effort = effort;
  it->fft = oshen_fft_create_mpi(it->comm, &it->attr);
  it->setuptime = MPI_Wtime() - start;
  oshen_fft_workspace(it->fft, &bytes, sizeof bytes);
  it->memusage = (int64_t)(bytes.symmetric + bytes.ordinary);
  *fftsize = in > out ? in : out;
}

/** Sets the geometry: an array of nfast x nmid x nslow complex numbers, and the first and last index of this rank along
 * each axis, before and after a forward transform. `permute`: 1 if the middle axis of the result is the fastest in
 * memory, 2 if the slow one is. `fftsize`: the complex numbers of the larger box. */
OSHEN_FFTMPI_API void fft3d_setup(void* fft, int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo,
                                  int in_jhi, int in_klo, int in_khi, int out_ilo, int out_ihi, int out_jlo,
                                  int out_jhi, int out_klo, int out_khi, int permute, int* fftsize, int* sendsize,
                                  int* recvsize) {
  oshen_fftmpi_fft_t* const it = (oshen_fftmpi_fft_t*)fft;
  const int in_low[3] = {in_ilo, in_jlo, in_klo}, in_high[3] = {in_ihi, in_jhi, in_khi};
  const int out_low[3] = {out_ilo, out_jlo, out_klo}, out_high[3] = {out_ihi, out_jhi, out_khi};
  it->attr.extent[0] = nfast, it->attr.extent[1] = nmid, it->attr.extent[2] = nslow;
  it->attr.in = oshen_fftmpi_box("fft3d_setup", in_low, in_high, 0);
  it->attr.out = oshen_fftmpi_box("fft3d_setup", out_low, out_high, permute);
  oshen_fftmpi_setup("fft3d_setup", it, it->attr.effort, fftsize);
  *sendsize = *recvsize = 0;
}

/** The same, with measurements: for about a tenth of a second, or, if `tmax` is 0 or at least 1, as long as
 * OSHEN_FFT_MEASURE takes. `niter` becomes "npertrial"; `flag` and `tflag` have no effect. */
OSHEN_FFTMPI_API void fft3d_tune(void* fft, int nfast, int nmid, int nslow, int in_ilo, int in_ihi, int in_jlo,
                                 int in_jhi, int in_klo, int in_khi, int out_ilo, int out_ihi, int out_jlo, int out_jhi,
                                 int out_klo, int out_khi, int permute, int* fftsize, int* sendsize, int* recvsize,
                                 int flag, int niter, double tmax, int tflag) {
  oshen_fftmpi_fft_t* const it = (oshen_fftmpi_fft_t*)fft;
  (void)flag, (void)tflag;
  it->npertrial = niter;
  it->attr.effort = tmax <= 0 || tmax >= 1 ? OSHEN_FFT_MEASURE : OSHEN_FFT_BRIEF;
  fft3d_setup(fft, nfast, nmid, nslow, in_ilo, in_ihi, in_jlo, in_jhi, in_klo, in_khi, out_ilo, out_ihi, out_jlo,
              out_jhi, out_klo, out_khi, permute, fftsize, sendsize, recvsize);
}

/** Accepted for programs that lend message buffers; has no effect. */
OSHEN_FFTMPI_API void fft3d_setup_memory(void* fft, FFT_SCALAR* sendbuf, FFT_SCALAR* recvbuf) {
  (void)fft, (void)sendbuf, (void)recvbuf;
}

/* The remap of a direction, created in the first run that needs it. */
static inline oshen_remap_t* oshen_fftmpi_moves(oshen_fftmpi_fft_t* it, int backward) {
  oshen_remap_attr_t attr;
  if (it->remap[backward] != NULL) return it->remap[backward];
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  memcpy(attr.extent, it->attr.extent, sizeof attr.extent);
  attr.element = 2 * sizeof(FFT_SCALAR);
  attr.in = backward ? it->attr.out : it->attr.in;
  attr.out = backward ? it->attr.in : it->attr.out;
  return it->remap[backward] = oshen_remap_create_mpi(it->comm, &attr);
}

/** Transforms: forward if `flag` is 1, backward if it is -1. `in` may be `out`. */
OSHEN_FFTMPI_API void fft3d_compute(void* fft, FFT_SCALAR* in, FFT_SCALAR* out, int flag) {
  oshen_fftmpi_fft_t* const it = (oshen_fftmpi_fft_t*)fft;
  if (it->fft == NULL) oshen_mpi_fail("fft3d_compute", "the transform has no geometry: call fft3d_setup first");
  if (it->remaponly)
    oshen_remap_run(oshen_fftmpi_moves(it, flag != 1), in, out);
  else if (flag == 1)
    oshen_fft_forward(it->fft, in, out, OSHEN_FFT_SCALE_NONE);
  else
    oshen_fft_backward(it->fft, in, out, it->scaled ? OSHEN_FFT_SCALE_FULL : OSHEN_FFT_SCALE_NONE);
}

/** Moves the data as a transform does, and does not transform it. */
OSHEN_FFTMPI_API void fft3d_only_remaps(void* fft, FFT_SCALAR* in, FFT_SCALAR* out, int flag) {
  oshen_fftmpi_fft_t* const it = (oshen_fftmpi_fft_t*)fft;
  if (it->fft == NULL) oshen_mpi_fail("fft3d_only_remaps", "the transform has no geometry: call fft3d_setup first");
  oshen_remap_run(oshen_fftmpi_moves(it, flag != 1), in, out);
}

/** Programs measure parts of a transform with these calls. Oshen's transforms have other parts: the calls end the job.
 */
OSHEN_FFTMPI_API void fft3d_only_1d_ffts(void* fft, FFT_SCALAR* in, int flag) {
  (void)fft, (void)in, (void)flag;
  oshen_mpi_fail("fft3d_only_1d_ffts",
                 "not available: Oshen moves and transforms the data at once; see oshen_fft_stats");
}
OSHEN_FFTMPI_API void fft3d_only_one_remap(void* fft, FFT_SCALAR* in, FFT_SCALAR* out, int flag, int which) {
  (void)fft, (void)in, (void)out, (void)flag, (void)which;
  oshen_mpi_fail("fft3d_only_one_remap", "not available: the layouts between stages differ; use fft3d_only_remaps");
}

/* ---- remap3d */

typedef struct oshen_fftmpi_remap {
  MPI_Comm comm;
  oshen_remap_t* remap; /* NULL before setup */
} oshen_fftmpi_remap_t;

/** Creates a remap without a geometry. Local. */
OSHEN_FFTMPI_API void remap3d_create(MPI_Comm comm, void** remap) {
  oshen_fftmpi_remap_t* it = (oshen_fftmpi_remap_t*)calloc(1, sizeof *it);
  if (it == NULL) oshen_mpi_fail("remap3d_create", "cannot allocate memory");
  it->comm = comm;
  *remap = it;
}

OSHEN_FFTMPI_API void remap3d_destroy(void* remap) {
  oshen_remap_destroy(((oshen_fftmpi_remap_t*)remap)->remap);
  free(remap);
}

/** Accepted; has no effect. */
OSHEN_FFTMPI_API void remap3d_set(void* remap, const char* keyword, int value) {
  (void)remap, (void)keyword, (void)value;
}

/* The remap of these boxes. The array ends at the largest index of all ranks. */
static inline void oshen_fftmpi_remap_boxes(const char* routine, oshen_fftmpi_remap_t* it, const oshen_fft_box_t* in,
                                            const oshen_fft_box_t* out, int nqty) {
  oshen_remap_attr_t attr;
  int a, end[3] = {0, 0, 0};
  if (it->remap != NULL) oshen_mpi_fail(routine, "the remap has a geometry: call it once for each create");
  if (nqty < 1) oshen_mpi_fail(routine, "nqty is below 1: expected the numbers in a point");
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.element = (size_t)nqty * sizeof(FFT_SCALAR);
  attr.in = *in;
  attr.out = *out;
  if (oshen_fftmpi_points(in) > 0)
    for (a = 0; a < 3; a++) end[a] = in->low[a] + in->size[a];
  oshen_mpi_check_comm(routine, it->comm);
  MPI_Allreduce(end, attr.extent, 3, MPI_INT, MPI_MAX, it->comm);
  it->remap = oshen_remap_create_mpi(it->comm, &attr);
}

/** Sets the geometry, as fft3d_setup does, of an array with `nqty` numbers in each point. The array ends at the largest
 * index of all ranks. */
OSHEN_FFTMPI_API void remap3d_setup(void* remap, int in_ilo, int in_ihi, int in_jlo, int in_jhi, int in_klo, int in_khi,
                                    int out_ilo, int out_ihi, int out_jlo, int out_jhi, int out_klo, int out_khi,
                                    int nqty, int permute, int memoryflag, int* sendsize, int* recvsize) {
  static const char routine[] = "remap3d_setup";
  oshen_fftmpi_remap_t* const it = (oshen_fftmpi_remap_t*)remap;
  const int in_low[3] = {in_ilo, in_jlo, in_klo}, in_high[3] = {in_ihi, in_jhi, in_khi};
  const int out_low[3] = {out_ilo, out_jlo, out_klo}, out_high[3] = {out_ihi, out_jhi, out_khi};
  const oshen_fft_box_t in = oshen_fftmpi_box(routine, in_low, in_high, 0);
  const oshen_fft_box_t out = oshen_fftmpi_box(routine, out_low, out_high, permute);
  (void)memoryflag;
  oshen_fftmpi_remap_boxes(routine, it, &in, &out, nqty);
  *sendsize = *recvsize = 0;
}

/** Remaps. `in` may be `out`. The buffers for messages have no effect. */
OSHEN_FFTMPI_API void remap3d_remap(void* remap, FFT_SCALAR* in, FFT_SCALAR* out, FFT_SCALAR* sendbuf,
                                    FFT_SCALAR* recvbuf) {
  oshen_fftmpi_remap_t* const it = (oshen_fftmpi_remap_t*)remap;
  (void)sendbuf, (void)recvbuf;
  if (it->remap == NULL) oshen_mpi_fail("remap3d_remap", "the remap has no geometry: call remap3d_setup first");
  oshen_remap_run(it->remap, in, out);
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

#include "fftmpi_2d.h"
#endif
