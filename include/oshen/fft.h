/* Distributed FFT and remap of arrays of one to three axes.
 *
 * Each PE of a group owns one box of the global array before the transform and one box after it. The boxes are
 * arbitrary as long as they cover the array. Buffers are ordinary memory, and `in` may be `out`. Outputs in symmetric
 * memory save a copy (see `buffers`).
 *
 *     oshen_fft_attr_t attr = {.size = sizeof attr, .extent = {128, 128, 128}};
 *     attr.in.size[0] = 128, attr.in.size[1] = 128, attr.in.size[2] = 64;
 *     attr.in.low[2] = 64 * me;
 *     attr.out = attr.in;
 *     oshen_fft_create(group, &attr, &fft);
 *     oshen_fft_forward(fft, data, data, OSHEN_FFT_SCALE_NONE);
 *     oshen_fft_backward(fft, data, data, OSHEN_FFT_SCALE_FULL);
 *     oshen_fft_destroy(fft);
 *
 * Groups are those of oshen/exchange.h. Collective calls must be made by all PEs of the group in the same order. A
 * group and its objects may be used by one thread at a time. While a create function runs, no other thread may call
 * FFTW's planner. Functions that can fail return oshen_status_t, with the same value on all PEs of the group. If the
 * caller can correct the error, the PE that found it prints one line on standard error.
 *
 * Axis 0 is the fastest of the global array unless a box gives another order. The forward transform has the sign -1 in
 * the exponent. Results are not scaled by default.
 */
#ifndef OSHEN_FFT_H
#define OSHEN_FFT_H

#include <oshen/exchange.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The box of one PE in a global array: `size[a]` elements from `low[a]` on along axis a, stored contiguously
 * unless in_embed or out_embed differ. A box with a size of zero or less is empty. */
typedef struct oshen_fft_box {
  int low[3];
  int size[3];
  int order[3]; /* axes from the fastest to the slowest in memory; {0, 0, 0} means {0, 1, 2} */
} oshen_fft_box_t;

typedef enum oshen_fft_precision { OSHEN_FFT_DOUBLE = 0, OSHEN_FFT_FLOAT } oshen_fft_precision_t;

/** COMPLEX: complex input and output. REAL: the forward transform has real input, and complex output with extent[h] /
 * 2 + 1 elements along the axis h = halved_axis; the remaining elements follow by symmetry. The backward transform
 * is the reverse. REAL_TO_REAL: real input and output; `along` selects the transform of each axis. */
typedef enum oshen_fft_kind { OSHEN_FFT_COMPLEX = 0, OSHEN_FFT_REAL, OSHEN_FFT_REAL_TO_REAL } oshen_fft_kind_t;

/** The forward transform along an axis of n elements. The backward transform is its inverse. Without scaling, forward
 * and backward together multiply by the length in the comment of each value.
 *
 * DCT1 to DCT4 are FFTW's REDFT00, REDFT10, REDFT01, REDFT11; DST1 to DST4 are RODFT00, RODFT10, RODFT01, RODFT11,
 * with the same factors 2. HARTLEY: discrete Hartley transform. R2HC: real to the half-complex order r0, r1, ...
 * r(n/2), i((n+1)/2-1), ... i1; HC2R: the reverse. NOTHING: the axis is not transformed. In complex transforms all
 * values are allowed; real and imaginary parts are then transformed separately. The halved axis must be FOURIER.
 * REAL_TO_REAL does not allow FOURIER. */
typedef enum oshen_fft_along {
  OSHEN_FFT_FOURIER = 0, /* n */
  OSHEN_FFT_NOTHING,     /* 1 */
  OSHEN_FFT_DCT1,        /* 2 (n - 1); n >= 2 */
  OSHEN_FFT_DCT2,        /* 2 n; its inverse is DCT3 */
  OSHEN_FFT_DCT3,        /* 2 n */
  OSHEN_FFT_DCT4,        /* 2 n */
  OSHEN_FFT_DST1,        /* 2 (n + 1) */
  OSHEN_FFT_DST2,        /* 2 n; its inverse is DST3 */
  OSHEN_FFT_DST3,        /* 2 n */
  OSHEN_FFT_DST4,        /* 2 n */
  OSHEN_FFT_HARTLEY,     /* n */
  OSHEN_FFT_R2HC,        /* n */
  OSHEN_FFT_HC2R         /* n */
} oshen_fft_along_t;

/** Effort of planning. ESTIMATE: decides by a cost model. MEASURE: measures the best candidates on this machine, and
 * FFTW measures too; up to some seconds for large arrays. BRIEF: the same limited to about a tenth of a second, with
 * fewer candidates and some milliseconds for each FFTW plan. Nothing is measured if a PE has more than some MiB.
 * Afterwards FFTW has no time limit (fftw_set_timelimit).
 *
 * Results of FFTW with MEASURE are kept for this user and machine in $XDG_CACHE_HOME/oshen or ~/.cache/oshen. They
 * make later plans of the same kind fast, also with BRIEF.
 *
 * AUTO: runs nothing while it plans. The first runs of the transform use the two or three ways that the cost model
 * finds most promising, in turn, and the fastest stays. The boxes are the caller's; ways differ in the process grids of
 * the layouts between them, and in how the data moves. The time that slower ways lose, in these runs and in planning,
 * is limited: see expected_runs, and OSHEN_EXCHANGE_TRIALS for all trials of a process. A transform of a kind that was
 * tried before takes the earlier result, also that of an earlier program (OSHEN_EXCHANGE_CHOICES). If shmem_ptr does
 * not reach all PEs, or `strategy` is "auto", each way is a pair of a process grid and a strategy of exchange plans.
 * Results of runs may differ by rounding. The ways that are tried take memory at the same time. */
typedef enum oshen_fft_effort {
  OSHEN_FFT_ESTIMATE = 0,
  OSHEN_FFT_MEASURE,
  OSHEN_FFT_BRIEF,
  OSHEN_FFT_AUTO
} oshen_fft_effort_t;

/** Intermediate layouts: SLABS are complete along two axes, PENCILS along one. BRICKS: pencils, with the first
 * exchange only within rows of input bricks. ANY: the cheapest one. If the array or the boxes do not allow the
 * requested layout, ANY is used. */
typedef enum oshen_fft_decomposition {
  OSHEN_FFT_ANY = 0,
  OSHEN_FFT_SLABS,
  OSHEN_FFT_PENCILS,
  OSHEN_FFT_BRICKS
} oshen_fft_decomposition_t;

/** Factor of the results: NONE 1, FULL 1 / N, SYMMETRIC 1 / sqrt(N). N is the product of the lengths of
 * oshen_fft_along_t: if all axes are FOURIER, the product of the extents. */
typedef enum oshen_fft_scale {
  OSHEN_FFT_SCALE_NONE = 0,
  OSHEN_FFT_SCALE_FULL,
  OSHEN_FFT_SCALE_SYMMETRIC
} oshen_fft_scale_t;

/** Attributes of a transform. Set all bytes to zero, then `size`, then the fields that you need. All fields except
 * the boxes, their arrays in memory, the distances and the workspace are equal on all PEs. */
typedef struct oshen_fft_attr {
  size_t size;   /* sizeof(oshen_fft_attr_t); a program that was compiled with fewer fields works as before */
  int extent[3]; /* of the global array; for OSHEN_FFT_REAL of the real one */
  oshen_fft_kind_t kind;
  oshen_fft_precision_t precision;
  oshen_fft_box_t in;  /* box of this PE in the input of the forward transform */
  oshen_fft_box_t out; /* and in its output; along the halved axis within extent / 2 + 1, or within `kept` */
  /* Number of fields that are transformed together, in as many messages as one field. Field f is f * distance
   * elements after the first one; 0: the fields are contiguous. */
  int fields; /* 0 means 1 */
  size_t in_distance;
  size_t out_distance;
  oshen_fft_effort_t effort;
  oshen_fft_decomposition_t decomposition;
  /* Transport of the data. NULL: loads and stores in the arrays of other PEs if shmem_ptr reaches all of them, else
   * exchange plans. Or the name of a strategy of oshen/exchange.h. */
  const char* strategy;
  /* Promises about the buffers of every run. OSHEN_OUT_SYMMETRIC: buffers for the boxes `out` are in the symmetric
   * heap or an arena, at any offset. OSHEN_IN_SYMMETRIC: the same for the boxes `in`. PEs then work directly in the
   * output buffer, which saves a copy: the first promise speeds up forward transforms, the second one backward
   * transforms. Buffers may differ between runs and between PEs. A run with a buffer that breaks the promise ends
   * the job with a line. */
  unsigned buffers;
  int halved_axis;            /* for OSHEN_FFT_REAL */
  oshen_fft_along_t along[3]; /* transform of each axis; at least one is not NOTHING */
  int convolution;            /* not 0: for oshen_fft_convolve only */
  /* Work memory in the symmetric heap or the arena, at any offset, aligned to 64 bytes, with at least the
   * `workspace` bytes of oshen_fft_need. Several transforms may share it if they do not run at the same time;
   * between runs the caller may use it. Each run then begins with one more wait for other PEs, and may end with one.
   * NULL: the transform allocates from the arena. Either all PEs give a workspace, or none. */
  void* workspace;
  size_t workspace_bytes;
  /* For complex arrays of one axis of n elements. 0: the spectrum is in natural order. A divisor c of n: position p
   * of the spectrum holds number p / c + (p % c) * (n / c), which saves an exchange. See oshen_fft_line. */
  int columns;
  /* For OSHEN_FFT_AUTO: the number of runs that will follow, or 0 if it is unknown. The trials then lose no more than
   * 2 % of the time of so many runs. */
  int expected_runs;
  /* The array in memory that holds the box of this PE: elements along each axis, at least the size of the box; 0: the
   * size. Elements beyond the box are not accessed. Rows of real numbers that are padded for a transform in place, with
   * axis 0 halved: in_embed[0] = 2 * (extent[0] / 2 + 1). Without a distance, fields are a whole array apart.
   * Factors of convolutions have the layout of `out`. */
  size_t in_embed[3];
  size_t out_embed[3];
  /* Number of modes that the spectrum keeps along each axis, such as those of the 2/3 rule; 0: all. Forward transforms
   * drop the other modes, which then are not sent; backward transforms take them as zero. The spectrum has kept[a]
   * elements along axis a, and the boxes `out` cover these. Element p is the mode of wave number p if
   * p < (kept[a] + 1) / 2, else p - kept[a], as in an array of kept[a] elements. Along the halved axis, of which
   * kept[a] <= extent[a] / 2 + 1 remain, and along axes with cosine and sine transforms it is mode p. HARTLEY and R2HC
   * keep both ends, as FOURIER does. Not for NOTHING and HC2R, nor with `columns`. A complex array of one axis is then
   * transformed by one PE. Scaling is as for the whole array. */
  int kept[3];
} oshen_fft_attr_t;

/** Computes the fastest blocks for a complex array of one axis, extent {length, 1, 1}.
 *
 * Such a transform is distributed over the PEs as that of a matrix: its columns, then its rows. oshen_fft_describe
 * prints the shape. The number of PEs that work at the same time is at most the number of rows or of columns: two
 * PEs if the length is twice a prime. If the length is prime, the numbers are real, or the transform is not FOURIER,
 * one PE transforms the whole array; oshen_fft_need includes the memory for that. Any blocks are possible, but a
 * block that ends within a row of the matrix costs an additional exchange. The blocks of this function avoid that.
 *
 * `in`: the block of `member` before the transform. `out`: its block after it in natural order; may be NULL. Returns
 * the number of columns of the matrix; 1 if `length` is prime; 0 if an argument is invalid. For a transposed
 * spectrum set attr.columns to the result, and attr.out = attr.in. Local. */
int oshen_fft_line(int length, int members, int member, oshen_fft_box_t* in, oshen_fft_box_t* out);

/** Memory that oshen_fft_create takes, in bytes; with MEASURE, BRIEF and AUTO the maximum while it measures. */
typedef struct {
  size_t symmetric; /* of the arena, on the PE that needs most: the size for a new arena */
  size_t workspace; /* least size of attr.workspace on this PE; with it the arena needs this much less, unless
                       attr.strategy is given */
  size_t ordinary;  /* private memory of this PE, without FFTW's plans */
} oshen_fft_need_t;

typedef struct oshen_fft oshen_fft_t;

/** Computes the memory that oshen_fft_create takes; attr.workspace is not read. Collective over the group, because the
 * PEs exchange their boxes. Without an arena, call it with a group of a small one: 64 KiB, and 1 KiB for each PE.
 * `size` is sizeof(oshen_fft_need_t). */
oshen_status_t oshen_fft_need(oshen_group_t* group, const oshen_fft_attr_t* attr, oshen_fft_need_t* need, size_t size);

/** Creates a transform. Collective over the group. It allocates symmetric memory in the arena of the group: see
 * oshen_fft_workspace. */
oshen_status_t oshen_fft_create(oshen_group_t* group, const oshen_fft_attr_t* attr, oshen_fft_t** fft);

/** Destroys a transform between runs. Collective over the group. NULL is ignored. */
void oshen_fft_destroy(oshen_fft_t* fft);

/** Transforms from the boxes attr.in to the boxes attr.out. Collective over the group. On return `out` is complete.
 * `in` is not changed unless it is `out`. */
void oshen_fft_forward(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);

/** The inverse: from the boxes attr.out to the boxes attr.in. Collective over the group. `in` is not changed unless
 * it is `out`, even if the result is real; FFTW by itself would change it. */
void oshen_fft_backward(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);

/** The same in parts, to overlap with computation. The start functions do all work that needs no waiting; they are
 * collective over the group. oshen_fft_test advances the run without waiting and returns true if it is complete.
 * oshen_fft_wait completes the run; call it once for each start, even after a true test. Do not access `in` and
 * `out` meanwhile. A transform has one run at a time. Several transforms may be active if all PEs start them in the
 * same order. */
void oshen_fft_forward_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);
void oshen_fft_backward_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);
int oshen_fft_test(oshen_fft_t* fft);
void oshen_fft_wait(oshen_fft_t* fft);

/** Transforms forward, multiplies each number of the spectrum by a factor, and transforms backward, from the boxes
 * attr.in to the same boxes. The spectrum is never stored in the boxes attr.out, which saves two passes, and the
 * exchanges to and from these boxes. For transforms with attr.convolution. Collective over the group. Buffers and
 * parts are as above; the only promise that applies is OSHEN_IN_SYMMETRIC. All fields have the same factors. */
void oshen_fft_convolve(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);
void oshen_fft_convolve_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);

/** Sets the factors: the box attr.out of this PE, complex numbers, for REAL_TO_REAL real ones. They are copied;
 * before the first call all are 1. Collective over the group, between runs. Allocates in the arena temporarily and
 * returns OSHEN_NO_SPACE if that fails, OSHEN_INVALID if `fft` is not for convolutions. */
oshen_status_t oshen_fft_set_factors(oshen_fft_t* fft, const void* factors);

/** Memory of a transform on this PE, in bytes. `size` is sizeof(oshen_fft_workspace_t). Local. */
typedef struct {
  size_t symmetric; /* of the arena */
  size_t ordinary;
} oshen_fft_workspace_t;
void oshen_fft_workspace(const oshen_fft_t* fft, oshen_fft_workspace_t* bytes, size_t size);

/** Work of one forward transform on this PE. `size` is sizeof(oshen_fft_cost_t). Local. */
typedef struct {
  int passes;          /* passes over the data of this PE */
  int exchanges;       /* each ends with a wait for other PEs */
  uint64_t messages;   /* sent to other PEs, or blocks read from or written to their arrays */
  uint64_t bytes;      /* of these messages */
  uint64_t bytes_pass; /* read and written by all passes */
} oshen_fft_cost_t;
void oshen_fft_cost(const oshen_fft_t* fft, oshen_fft_cost_t* cost, size_t size);

/** Time and bytes of all runs of a transform on this PE, by phase. Time between a start and a wait that is spent
 * outside of the calls does not count. Phases that exchange plans carry out have the times of these plans. */
typedef struct {
  uint64_t runs;
  double transform_seconds; /* passes that transform; they also pack and unpack, tile by tile */
  double copy_seconds;      /* passes that only copy, and copies of inputs */
  double exchange_seconds;  /* packing, sending and unpacking by exchange plans; 0 with shared work arrays */
  double wait_seconds;      /* waiting for other PEs */
  uint64_t transform_bytes; /* read and written by passes that transform */
  uint64_t copy_bytes;      /* read and written by passes that only copy */
  uint64_t exchange_bytes;  /* sent to other PEs, or read from or written to their arrays in these passes */
} oshen_fft_stats_t;

/** Returns the statistics of a transform. Call it between runs. `size` is sizeof(oshen_fft_stats_t). Local. */
void oshen_fft_stats(const oshen_fft_t* fft, oshen_fft_stats_t* stats, size_t size);

/** Writes a readable line: the sequence of layouts, and the transport of the data. With OSHEN_FFT_AUTO also where the
 * choice comes from, as oshen_plan_source tells it for a plan, the times of the ways that were tried, and the time that
 * the trials have lost. Returns the length without the final 0, like snprintf. Local. */
size_t oshen_fft_describe(const oshen_fft_t* fft, char* text, size_t size);

/* ---- remap: the exchange without a transform */

/** Attributes of a remap from the boxes `in` to the boxes `out`, with elements of any size. */
typedef struct oshen_remap_attr {
  size_t size; /* sizeof(oshen_remap_attr_t); members that the library does not know must be 0 */
  int extent[3];
  size_t element; /* bytes */
  oshen_fft_box_t in;
  oshen_fft_box_t out;
  int fields;         /* 0 means 1 */
  size_t in_distance; /* elements between fields; 0: contiguous */
  size_t out_distance;
  const char* strategy; /* a strategy of oshen/exchange.h; NULL: the first one */
} oshen_remap_attr_t;

typedef struct oshen_remap oshen_remap_t;

/** Remaps. All calls except test are collective over the group. `in` may be `out`. The calls correspond to those of a
 * transform. */
oshen_status_t oshen_remap_create(oshen_group_t* group, const oshen_remap_attr_t* attr, oshen_remap_t** remap);
void oshen_remap_destroy(oshen_remap_t* remap);
void oshen_remap_run(oshen_remap_t* remap, const void* in, void* out);
void oshen_remap_start(oshen_remap_t* remap, const void* in, void* out);
int oshen_remap_test(oshen_remap_t* remap);
void oshen_remap_wait(oshen_remap_t* remap);

#ifdef __cplusplus
}
#endif
#endif
