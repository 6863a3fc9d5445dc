/* FFT and remap of arrays of one to three axes that are spread over the PEs of a group.
 *
 * Each PE owns one box of the global array before the transform and one after it; the boxes may be
 * any, as long as they cover the array. Buffers are ordinary memory, and `in` may be `out`; outputs
 * in symmetric memory save a copy (see `buffers`).
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
 * Groups are those of oshen/exchange.h. Calls marked collective must be made by all PEs of the group
 * in the same order. A group and what was made of it belong to one thread at a time, and FFTW's
 * planner, which the create functions use, is not to be called by another thread meanwhile.
 * Functions that can fail return the same oshen_status_t on all PEs of the group; a refusal that the
 * caller can mend is explained in one line on standard error by the PE that found it.
 *
 * Axis 0 is the fastest of the global array unless a box says otherwise. The forward transform has
 * the sign -1 in the exponent. Nothing is scaled unless asked for.
 */
#ifndef OSHEN_FFT_H
#define OSHEN_FFT_H

#include <oshen/exchange.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What one PE owns of a global array: `size[a]` elements from `low[a]` on along axis a, stored
 * densely. A size of zero or less owns nothing. */
typedef struct oshen_fft_box {
  int low[3];
  int size[3];
  int order[3]; /* the axes from the fastest to the slowest in memory; {0, 0, 0} means {0, 1, 2} */
} oshen_fft_box_t;

typedef enum oshen_fft_precision { OSHEN_FFT_DOUBLE = 0, OSHEN_FFT_FLOAT } oshen_fft_precision_t;

/** COMPLEX: complex in, complex out. REAL: the input of the forward transform is real, its output
 * complex with extent[h] / 2 + 1 elements along the axis h = halved_axis (the others follow by
 * symmetry); the backward transform goes from there to real numbers. REAL_TO_REAL: real in, real out:
 * `along` says which transform each axis has. */
typedef enum oshen_fft_kind { OSHEN_FFT_COMPLEX = 0, OSHEN_FFT_REAL, OSHEN_FFT_REAL_TO_REAL } oshen_fft_kind_t;

/** What is done along an axis of n elements by the forward transform; the backward one does the inverse, and without
 * scaling both together multiply by the length that stands behind each.
 *
 * Cosine and sine transforms of types 1 to 4 are FFTW's REDFT00, REDFT10, REDFT01, REDFT11 and RODFT00, RODFT10, RODFT01,
 * RODFT11: even and odd ends at elements or half way between them, factors 2 as there. HARTLEY: sine and cosine in one
 * number. R2HC: real to the half-complex order r0, r1, ... r(n/2), i((n+1)/2-1), ... i1; HC2R: the other way. NOTHING: the
 * axis is left as it is. All but FOURIER may stand in transforms of complex numbers too, where real and imaginary parts
 * are transformed apart, but not along the halved axis; transforms from real to real numbers have no FOURIER. */
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

/** ESTIMATE: decides by a model of costs. MEASURE: tries the most promising ways on this machine, and
 * lets FFTW do so; takes up to some seconds for large arrays. BRIEF: the same within a tenth of a second
 * or little more: the few most promising ways, FFTW for milliseconds each; arrays of which a PE has
 * more than some MiB are only planned. FFTW's limit of time (fftw_set_timelimit) is none afterwards.
 *
 * What FFTW finds out by MEASURE is kept for this user and machine, in $XDG_CACHE_HOME/oshen or
 * ~/.cache/oshen, and makes later plans of the same kind cheap, BRIEF ones as good as measured. */
typedef enum oshen_fft_effort {
  OSHEN_FFT_ESTIMATE = 0,
  OSHEN_FFT_MEASURE,
  OSHEN_FFT_BRIEF
} oshen_fft_effort_t;

/** The work layouts between input and output: each PE whole along two axes, along one, or along one
 * with the data moving within rows of input bricks first. ANY: by cost. Where the array or the boxes
 * do not allow what is asked for, as for ANY. */
typedef enum oshen_fft_decomposition {
  OSHEN_FFT_ANY = 0,
  OSHEN_FFT_SLABS,
  OSHEN_FFT_PENCILS,
  OSHEN_FFT_BRICKS
} oshen_fft_decomposition_t;

/** Factor of the results: NONE 1, FULL 1 / N, SYMMETRIC 1 / sqrt(N); N = product of the lengths of
 * oshen_fft_along_t, which is that of the extents where all axes are FOURIER. */
typedef enum oshen_fft_scale {
  OSHEN_FFT_SCALE_NONE = 0,
  OSHEN_FFT_SCALE_FULL,
  OSHEN_FFT_SCALE_SYMMETRIC
} oshen_fft_scale_t;

/** How to make a transform. Zero it, set `size`, fill what is needed. All but the boxes is equal on
 * all PEs. */
typedef struct oshen_fft_attr {
  size_t size;   /* sizeof(oshen_fft_attr_t) */
  int extent[3]; /* of the global array; of the real one for OSHEN_FFT_REAL */
  oshen_fft_kind_t kind;
  oshen_fft_precision_t precision;
  oshen_fft_box_t in;  /* this PE's box of the forward transform's input */
  oshen_fft_box_t out; /* of its output; along the halved axis within extent / 2 + 1 */
  /* Fields that are transformed at once, in as many messages as one. Field f lies f * distance
   * elements behind the first; 0: one box behind the other. */
  int fields; /* 0 means 1 */
  size_t in_distance;
  size_t out_distance;
  oshen_fft_effort_t effort;
  oshen_fft_decomposition_t decomposition;
  /* How data moves between PEs. NULL: PEs read and write each other's arrays where shmem_ptr reaches
   * them all, else by exchange plans. Or the name of a strategy of oshen/exchange.h. */
  const char* strategy;
  /* Promises about the buffers of every run: OSHEN_OUT_SYMMETRIC, those for the boxes `out` lie in
   * the symmetric heap or an arena, at any offset; OSHEN_IN_SYMMETRIC, those for the boxes `in`. An
   * output of which this is promised is what PEs work in, without a copy at the end: forward
   * transforms gain by the first, backward ones by the second. Buffers may differ from run to run
   * and lie elsewhere on each PE. A run whose PEs would work in an output that breaks the promise
   * ends the job with a line that says so. */
  unsigned buffers;
  int halved_axis;            /* of OSHEN_FFT_REAL */
  oshen_fft_along_t along[3]; /* what is done along each axis; not NOTHING along all */
  int convolution;            /* not 0: for oshen_fft_convolve, not for forward and backward */
  /* Memory to work in that several transforms may share if they do not run at once; between runs it is the caller's. In
   * the symmetric heap or the arena, at any offset, aligned to 64 bytes, of workspace_bytes >= what oshen_fft_need says for
   * it on this PE. A run begins with one more wait for the partners then, and may end with one. NULL: the transform's own,
   * from the arena. All PEs or none. */
  void* workspace;
  size_t workspace_bytes;
  /* Of complex numbers along one axis of n elements (the others have one): 0, the spectrum in its natural order; or a
   * divisor c of n, and place p of the spectrum holds number p / c + (p % c) * (n / c), which saves a move between PEs.
   * See oshen_fft_line. */
  int columns;
} oshen_fft_attr_t;

/** Arrays of one axis, extent {n, 1, 1}: PEs share the transform of complex numbers if n is not prime, whatever their
 * blocks are, as that of a matrix: its columns, then its rows (oshen_fft_describe tells its shape). As many PEs have work
 * at a time as the matrix has rows, or columns if these are fewer: two of 4096 if n is twice a prime. Arrays of a prime
 * length, of real numbers, or with another transform than FOURIER are brought to one PE, transformed and brought back;
 * the memory that this takes there is in oshen_fft_need, and oshen_fft_describe says so.
 *
 * Blocks with edges within a row of the matrix cost a move more, before or behind. This function gives blocks that have
 * none: those of `member` before, and, in natural order, after (NULL: not wanted), and returns the columns of the matrix,
 * 1 if `length` is prime, 0 if an argument makes no sense. For a spectrum left transposed, attr.columns is the value
 * returned and attr.out = attr.in. Local. */
int oshen_fft_line(int length, int members, int member, oshen_fft_box_t* in, oshen_fft_box_t* out);

/** Memory that oshen_fft_create will take, in bytes; with MEASURE and BRIEF the most that it may take
 * while it tries. */
typedef struct oshen_fft_need {
  size_t symmetric; /* of the arena, on the PE that needs most: what a fresh arena must have */
  size_t workspace; /* that attr.workspace must have on this PE, if it is given; the arena is spared as much unless
                       attr.strategy names one */
  size_t ordinary;  /* of this PE, without what FFTW's plans hold */
} oshen_fft_need_t;

typedef struct oshen_fft oshen_fft_t;

/** Asks for that; attr.workspace is not read. Collective over the group, as each PE hears of the others' boxes; whoever has
 * no arena of that size yet asks in a group of a small one: 64 KiB and 1 KiB for each PE serve. */
oshen_status_t oshen_fft_need(oshen_group_t* group, const oshen_fft_attr_t* attr, oshen_fft_need_t* need);

/** Makes a transform. Collective over the group. Takes symmetric memory from the group's arena: see
 * oshen_fft_workspace. */
oshen_status_t oshen_fft_create(oshen_group_t* group, const oshen_fft_attr_t* attr,
                                oshen_fft_t** fft);

/** Collective over the group, between runs. NULL: nothing. */
void oshen_fft_destroy(oshen_fft_t* fft);

/** Transforms from the boxes `in` to the boxes `out`. Collective over the group. `in` is left as it
 * is unless it is `out`. */
void oshen_fft_forward(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);

/** The inverse: from the boxes `attr.out` to the boxes `attr.in`. Collective over the group. Here too
 * `in` is left as it is unless it is `out`, also where the result is real (FFTW's own is not). */
void oshen_fft_backward(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);

/** The same in parts, to compute while others are late: start does what can be done without waiting,
 * test goes on as far as possible and is true when all is done, wait ends the run (once for each
 * start, also after a true test). `in` and `out` must be left alone meanwhile. One run of a transform
 * at a time; several transforms may be under way if all PEs start them in the same order. */
void oshen_fft_forward_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);
void oshen_fft_backward_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);
int oshen_fft_test(oshen_fft_t* fft);
void oshen_fft_wait(oshen_fft_t* fft);

/** Forward, each number of the spectrum times a factor, and backward, from the boxes `attr.in` to the same: the spectrum
 * itself is nobody's output, so that two of the passes and, where they differ from `in`, the ways to the boxes
 * `attr.out` and back are saved. For transforms made with attr.convolution. Collective over the group; threads, `in` and
 * `out`, promises (OSHEN_IN_SYMMETRIC, as for backward) and parts as above. All fields have the same factors. */
void oshen_fft_convolve(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);
void oshen_fft_convolve_start(oshen_fft_t* fft, const void* in, void* out, oshen_fft_scale_t scale);

/** The factors: this PE's box `attr.out` of them, numbers as a forward transform's output has (complex, but real for
 * REAL_TO_REAL). Copied. Until then all are 1. Collective over the group, between runs; takes memory of the arena meanwhile
 * (OSHEN_NO_SPACE: it has not so much left). OSHEN_INVALID: `fft` is not made for convolutions. */
oshen_status_t oshen_fft_set_factors(oshen_fft_t* fft, const void* factors);

/** Memory that a transform holds on this PE, in bytes. */
typedef struct oshen_fft_workspace {
  size_t symmetric; /* of the arena */
  size_t ordinary;
} oshen_fft_workspace_t;
void oshen_fft_workspace(const oshen_fft_t* fft, oshen_fft_workspace_t* bytes);

/** What one forward transform does on this PE. */
typedef struct oshen_fft_cost {
  int passes;          /* over this PE's part of the array, or what of it others have sent */
  int exchanges;       /* after which PEs wait for one another */
  uint64_t messages;   /* sent to other PEs, or parts read from and written to their arrays */
  uint64_t bytes;      /* of them */
  uint64_t bytes_pass; /* read and written by all passes */
} oshen_fft_cost_t;
void oshen_fft_cost(const oshen_fft_t* fft, oshen_fft_cost_t* cost);

/** Writes one line for people: the route through the layouts, and how data moves. Returns the length
 * without the final 0, like snprintf. */
size_t oshen_fft_describe(const oshen_fft_t* fft, char* text, size_t size);

/* ---- remap: the movement alone */

/** How to make a remap: from the boxes `in` to the boxes `out`, elements of any size. */
typedef struct oshen_remap_attr {
  size_t size; /* sizeof(oshen_remap_attr_t) */
  int extent[3];
  size_t element; /* bytes */
  oshen_fft_box_t in;
  oshen_fft_box_t out;
  int fields; /* 0 means 1 */
  size_t in_distance; /* elements; 0: one box behind the other */
  size_t out_distance;
  const char* strategy; /* of oshen/exchange.h; NULL: the first */
} oshen_remap_attr_t;

typedef struct oshen_remap oshen_remap_t;

/** Collective over the group, as are the calls below but test. `in` may be `out`. */
oshen_status_t oshen_remap_create(oshen_group_t* group, const oshen_remap_attr_t* attr,
                                  oshen_remap_t** remap);
void oshen_remap_destroy(oshen_remap_t* remap);
void oshen_remap_run(oshen_remap_t* remap, const void* in, void* out);
void oshen_remap_start(oshen_remap_t* remap, const void* in, void* out);
int oshen_remap_test(oshen_remap_t* remap);
void oshen_remap_wait(oshen_remap_t* remap);

#ifdef __cplusplus
}
#endif
#endif
