/* Persistent irregular exchange: a plan lists once the messages that each PE sends and receives, and then runs many
 * times.
 *
 * Three kinds of objects, each created from the one before.
 *
 *   arena   Symmetric memory that all plans share. Creating a plan needs no collective allocation.
 *   group   The PEs of a team or of a list.
 *   plan    The messages of this PE: peers, lengths, and positions in the buffers.
 *
 *     oshen_arena_create(64 << 20, &arena);
 *     oshen_group_create(arena, team, &group);
 *     oshen_plan_create(group, &attr, &plan);
 *     for (...) oshen_plan_run(plan, in, out);
 *     oshen_plan_destroy(plan); oshen_group_destroy(group); oshen_arena_destroy(arena);
 *
 * Buffers are ordinary memory. `in` may be `out` or overlap it: nothing in `out` is written while `in` still holds data
 * to be sent from there. The library uses only the public OpenSHMEM API, version 1.4 or later; groups of teams need
 * 1.5. A strategy, which is a row of a table, decides how PEs synchronise; "auto" tries the promising ones.
 * docs/design/exchange.md compares them.
 *
 * Collective calls must be made by all PEs of the group in the same order. An arena, its groups and their plans may be
 * used by one thread at a time. Functions that can fail return oshen_status_t, with the same value on all PEs of the
 * group. If a plan is refused, the PE that found the reason prints one line on standard error. The line names the
 * message with its peer and both lengths, or the promise that the strategy needs, or the missing memory.
 */
#ifndef OSHEN_EXCHANGE_H
#define OSHEN_EXCHANGE_H

#include <shmem.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Teams came with OpenSHMEM 1.5; without them groups are made from lists. */
#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define OSHEN_EXCHANGE_TEAMS 1
#else
#define OSHEN_EXCHANGE_TEAMS 0
#endif

typedef enum oshen_status {
  OSHEN_OK = 0,
  OSHEN_INVALID,     /* an invalid argument: peer out of range, forbidden size of zero, unknown strategy, ... */
  OSHEN_UNSUPPORTED, /* the strategy needs something that this plan or this machine does not have */
  OSHEN_NO_SPACE,    /* the arena or this process has too little memory */
  OSHEN_MISMATCH     /* sent and received messages do not match, or PEs chose different strategies */
} oshen_status_t;

/** Returns a short phrase for a status; never NULL. Local. */
const char* oshen_status_text(oshen_status_t status);

typedef struct oshen_arena oshen_arena_t;
typedef struct oshen_group oshen_group_t;
typedef struct oshen_plan oshen_plan_t;

/* ---- arena */

/** Creates an arena with `bytes` of symmetric memory from shmem_malloc. Collective over all PEs, with equal `bytes`.
 * Returns OSHEN_NO_SPACE if the heap is too small. */
oshen_status_t oshen_arena_create(size_t bytes, oshen_arena_t** arena);

/** Frees the arena. Collective over all PEs, after all its groups are destroyed. NULL is ignored. */
void oshen_arena_destroy(oshen_arena_t* arena);

/** Allocates a buffer in the arena, aligned to 64 bytes; NULL if there is no space. Local: sizes and addresses may
 * differ between PEs. OSHEN_IN_SYMMETRIC and OSHEN_OUT_SYMMETRIC may be set for such buffers and for those of
 * shmem_malloc. */
void* oshen_arena_alloc(oshen_arena_t* arena, size_t bytes);

/** Frees a buffer that no run uses. Local. NULL is ignored. */
void oshen_arena_free(oshen_arena_t* arena, void* buffer);

/** Returns the start of the arena, a symmetric address: PEs can exchange the offsets of buffers from it. Local. */
void* oshen_arena_base(const oshen_arena_t* arena);

/* ---- group */

#if OSHEN_EXCHANGE_TEAMS
/** Creates a group of the PEs of `team`. Collective over `team`, which may be destroyed afterwards. */
oshen_status_t oshen_group_create(oshen_arena_t* arena, shmem_team_t team, oshen_group_t** group);
#endif

/** Creates a group of the PEs in `pes`: numbers in SHMEM_TEAM_WORLD, in the same order on all PEs, including the
 * calling PE. Collective over the PEs of the list. */
oshen_status_t oshen_group_create_from_list(oshen_arena_t* arena, const int* pes, int n_pes, oshen_group_t** group);

/** Destroys a group after all its plans. Collective over the group. NULL is ignored. */
void oshen_group_destroy(oshen_group_t* group);

/** Number of members; the calling PE as a member, from 0; the number of a member in SHMEM_TEAM_WORLD; the arena.
 * Local. */
int oshen_group_size(const oshen_group_t* group);
int oshen_group_rank(const oshen_group_t* group);
int oshen_group_pe(const oshen_group_t* group, int member);
oshen_arena_t* oshen_group_arena(const oshen_group_t* group);

/* ---- grid: partitions of an array. Local: arithmetic only. */

/** Computes the numbers of parts along each axis, n in total, such that no part is empty if possible, and the surface
 * between parts is minimal. Non-zero entries of `dims` are kept, as in MPI_Dims_create. Returns OSHEN_INVALID if an
 * extent or n is below 1, or if the product of the kept entries does not divide n. */
oshen_status_t oshen_grid_dims(int n, const int extent[3], int dims[3]);

/** Coordinates of a member, with axis 0 fastest; and the member at given coordinates, -1 beyond the edge. Along axis
 * a the grid is a ring if `periodic` has the bit 1 << a. */
void oshen_grid_coords(const int dims[3], int member, int coords[3]);
int oshen_grid_member(const int dims[3], const int coords[3], unsigned periodic);

/** Computes the part of a member: size[a] elements from low[a] on, with sizes that differ by at most one. The parts
 * cover the array, as the boxes of oshen/fft.h must. */
void oshen_grid_box(const int extent[3], const int dims[3], int member, int low[3], int size[3]);

/* ---- plan */

/** A three-dimensional array of elements in a user's buffer. Offset, element size and strides are in bytes, extents
 * in elements. Element (a,b,c) is at offset + a*stride[0] + b*stride[1] + c*stride[2]. Elements are transferred with
 * the first axis fastest. Sender and receiver give the same extents; different strides transpose the data. For speed
 * list the axes in the order of the output's memory. */
typedef struct oshen_box {
  size_t offset;
  size_t element; /* bytes of one element */
  size_t extent[3];
  size_t stride[3];
} oshen_box_t;

/** One message to or from a peer. Several messages of one peer match in the order of the lists. */
typedef struct oshen_message {
  int peer;        /* member of the group; may be this PE */
  size_t bytes;    /* length of one field; may be 0 */
  oshen_box_t box; /* position in the buffer; not read if the plan has callbacks */
} oshen_message_t;

/* Promises about the buffers of every run; equal on all PEs of the group. SYMMETRIC: the buffer is in the arena
 * (oshen_arena_alloc) or in the symmetric heap, at any offset. Strategy `direct` needs OUT, `direct_get` needs IN.
 * APART: no run reads a byte that it writes. So `in` and `out` do not overlap on any PE; or they are one array, and no
 * element is both sent and received. */
#define OSHEN_IN_SYMMETRIC 1u
#define OSHEN_OUT_SYMMETRIC 2u
#define OSHEN_BUFFERS_APART 4u

/** Attributes of a plan. Set all bytes to zero, then `size`, then the fields that you need. The plan copies lists and
 * strings. */
typedef struct oshen_plan_attr {
  size_t size;          /* sizeof(oshen_plan_attr_t); members that the library does not know must be 0 */
  const char* strategy; /* a name of oshen_strategy_at, or "auto"; NULL: the first strategy */
  const oshen_message_t* sends;
  const oshen_message_t* receives;
  int n_sends;
  int n_receives;
  /* Callbacks in the place of boxes: `pack` copies send number `message` from `in` to `wire`, `unpack` copies
   * receive number `message` from `wire` to `out`, one field at a time. Give both or none. `context` is passed to
   * them. */
  void (*pack)(void* context, int message, const void* in, void* wire);
  void (*unpack)(void* context, int message, const void* wire, void* out);
  void* context;
  /* Fields: the same pattern for several buffers, with all fields for a peer in one message. Field f is f * stride
   * bytes after the first one, or anywhere with oshen_plan_start_fields. */
  int n_fields;           /* 0 means 1; equal on all PEs */
  size_t in_field_stride; /* bytes */
  size_t out_field_stride;
  unsigned buffers; /* OSHEN_IN_SYMMETRIC | ...; equal on all PEs */
  /* Lists of offsets, for unstructured meshes. Entry i is NULL, or the whole array is NULL, if the box of message i
   * has the positions. Else entry i points to one offset for each element of the box, in bytes from box.offset, in
   * the order of the transfer; strides are not read. One side may have a list and the other a box. Not with
   * callbacks. Read only during oshen_plan_create. */
  const size_t* const* send_offsets;
  const size_t* const* receive_offsets;
  const char* choices; /* file with the choices of "auto", read and written by member 0 only; NULL: the common one */
  /* For "auto": the number of runs that will follow, equal on all PEs, or 0 if it is unknown. The trials then lose no
   * more than 2 % of the time of so many runs. */
  int expected_runs;
} oshen_plan_attr_t;

/** Creates a plan. Collective over the group; runs of other plans may be active. With "auto" the first runs of the plan
 * use the two or three strategies that a model finds most promising, in turn, and the fastest stays. A plan of a kind
 * that was tried before takes the earlier result, also that of an earlier program (OSHEN_EXCHANGE_CHOICES). Returns
 * OSHEN_INVALID, OSHEN_UNSUPPORTED, OSHEN_NO_SPACE or OSHEN_MISMATCH, with a line on standard error. */
oshen_status_t oshen_plan_create(oshen_group_t* group, const oshen_plan_attr_t* attr, oshen_plan_t** plan);

/** Memory, in bytes. */
typedef struct oshen_need {
  size_t symmetric; /* one contiguous block of the arena */
  size_t ordinary;  /* for packing; plans of an arena share it unless several run at the same time */
} oshen_need_t;

/** Computes the memory that oshen_plan_create takes on this PE; with "auto" the maximum during its trials. Local, so
 * the result differs between PEs whose messages differ: an arena needs the largest value of all PEs. Without an
 * arena, call it with a group of a small one (4 KiB). `size` is sizeof(oshen_need_t). Returns an error that this PE
 * finds in `attr` by itself. */
oshen_status_t oshen_plan_need(oshen_group_t* group, const oshen_plan_attr_t* attr, oshen_need_t* need, size_t size);

/** Sends from `in` and receives into `out`. Collective over the group. On return `out` is complete and `in` may be
 * changed. `in` may be NULL without sends, `out` without receives. */
void oshen_plan_run(oshen_plan_t* plan, const void* in, void* out);

/** Destroys a plan. Local, between runs; peers may still be in the last run, and other plans may run. NULL is
 * ignored. */
void oshen_plan_destroy(oshen_plan_t* plan);

/* ---- halo: copies of other PEs' elements around the part of each PE */

/** The part of one PE in a global array: size[a] elements from low[a] on along axis a. */
typedef struct oshen_part {
  int low[3];
  int size[3];
} oshen_part_t;

/** A global array in parts, with ghost elements around each part. Set all bytes to zero, then `size`, then the fields
 * that you need. Equal on all PEs of the group, except `stride` and `offset`. An array of fewer axes has extent 1 along
 * the others. List the axes in the order of memory, fastest first; other orders are correct but slower. */
typedef struct oshen_halo {
  size_t size;               /* sizeof(oshen_halo_t); as in oshen_plan_attr_t */
  int extent[3];             /* of the global array, in elements */
  int dims[3];               /* the grid: each member has the part of oshen_grid_box; not read with `parts` */
  const oshen_part_t* parts; /* the part of each member; together each element once; or NULL. Not kept */
  int below[3];              /* layers of ghost elements before the part along each axis; may exceed the parts */
  int above[3];              /* and after it */
  unsigned periodic;         /* with the bit 1 << a, axis a is a ring; else nothing lies beyond its edges */
  int faces_only;            /* true: no ghost elements that are outside the part along two or three axes */
  size_t element;            /* bytes of one element */
  size_t stride[3];          /* bytes between elements along each axis of this PE's buffer; all zero: the part and its
                              * ghost elements, those beyond the edges too, are a block without gaps, axis 0 fastest */
  size_t offset;             /* of the first element of the part, in bytes; not read if the strides are zero */
} oshen_halo_t;

/** Creates a plan that fills the ghost elements of each PE from the parts that own them. Run it with one buffer as `in`
 * and `out`: it reads only the part and writes only ghost elements, so that nothing is copied out of the way, and
 * `direct` needs no second buffer. Ghost elements beyond an edge that is not periodic keep their values. `attr`: the
 * attributes of oshen_plan_create without messages and callbacks; or NULL. Several fields go together (n_fields).
 * Collective over the group. Errors are those of oshen_plan_create. */
oshen_status_t oshen_halo_create(oshen_group_t* group, const oshen_halo_t* halo, const oshen_plan_attr_t* attr,
                                 oshen_plan_t** plan);

/** Computes the memory that oshen_halo_create takes on this PE, as oshen_plan_need does. Local. */
oshen_status_t oshen_halo_need(oshen_group_t* group, const oshen_halo_t* halo, const oshen_plan_attr_t* attr,
                               oshen_need_t* need, size_t size);

/* ---- a run in parts: start; any number of test and wait_any; release */

/** Starts a run and returns without waiting for a peer. Collective over the group. Until the release do not change
 * `in` (see oshen_plan_in_is_free), and access `out` only where data has arrived. Several plans may be active. All
 * PEs start them in the same order, but may release them in any order. */
void oshen_plan_start(oshen_plan_t* plan, const void* in, void* out);

/** The same with one buffer for each field: `in` and `out` are arrays of n_fields addresses, which may be reused on
 * return. */
void oshen_plan_start_fields(oshen_plan_t* plan, const void* const* in, void* const* out);

/** Advances the run without waiting. Local. Returns true if the run is complete, so that the release does not wait. */
int oshen_plan_test(oshen_plan_t* plan);

/** Waits until the data of a further peer is in `out` and returns that member. Local. Each peer that sends data,
 * including this PE, is returned once in each run; then the result is -1. */
int oshen_plan_wait_any(oshen_plan_t* plan);

/** Returns true if the data of `peer` is in `out`, or if it sends nothing. Local; does not advance the run. */
int oshen_plan_has_arrived(const oshen_plan_t* plan, int peer);

/** Returns true if `in` may be changed, because all its data has been sent. Local; does not advance the run. */
int oshen_plan_in_is_free(const oshen_plan_t* plan);

/** Completes the run, waiting if necessary. Call it once for each start. */
void oshen_plan_release(oshen_plan_t* plan);

/* ---- statistics */

/** Statistics of a plan on this PE, over all its runs. Waits during which several runs were active count in
 * wait_seconds, but not for a peer. */
typedef struct {
  uint64_t runs;
  uint64_t messages;     /* sent to other PEs: one for each peer, with all its messages and fields */
  uint64_t bytes;        /* sent to other PEs */
  uint64_t bytes_direct; /* of these, by loads and stores in memory shared with the peer */
  uint64_t bytes_self;   /* in messages to this PE itself */
  double pack_seconds;   /* packing, puts and gets */
  double wait_seconds;   /* waiting for other PEs */
  double unpack_seconds;
  int latest_peer;       /* the peer that this PE waited for most often; -1: none */
  uint64_t latest_runs;  /* number of waits that ended with the data of that peer */
  double latest_seconds; /* their time */
} oshen_plan_stats_t;

/** Returns the statistics of a plan. `size` is sizeof(oshen_plan_stats_t). Local. */
void oshen_plan_stats(const oshen_plan_t* plan, oshen_plan_stats_t* stats, size_t size);

/** Returns the name of the strategy; with "auto" the one of the latest run, which is the chosen one after the trials.
 * The string is never freed. Local. */
const char* oshen_plan_strategy(const oshen_plan_t* plan);

/** Returns the source of the strategy. "requested": the attributes name it. The others are of "auto". "only choice": no
 * PE sends anything. "earlier plan": one of the same kind was tried in this process. "file": an earlier program tried
 * it. "model": nothing was tried. "trying": the first runs are trials. "measured": the trials are over. The string is
 * never freed. Local. */
const char* oshen_plan_source(const oshen_plan_t* plan);

/** Returns the time that the trials of "auto" measured for strategy `index`: seconds of one run. It is negative if the
 * strategy was not tried, or before the trials are over. Local. */
double oshen_plan_measured(const oshen_plan_t* plan, int index);

/** Returns the seconds that this process may lose by trials, and those that it has lost: how much longer runs with
 * slower strategies took. Settled when the trials of a plan end. Local. */
void oshen_exchange_trials(double* budget, double* lost);

/** Writes a readable line: strategy and its source, the times of trials, sizes, peers, times, the latest peer. Returns
 * the length without the final 0, like snprintf. Local. */
size_t oshen_plan_describe(const oshen_plan_t* plan, char* text, size_t size);

/** Describes strategy `index` of the table, which is in order of preference. Returns false past the end. The strings
 * are never freed. `size` is sizeof(oshen_strategy_info_t). Local. */
typedef struct oshen_strategy_info {
  const char* name;
  const char* about;
} oshen_strategy_info_t;
int oshen_strategy_at(int index, oshen_strategy_info_t* info, size_t size);

#ifdef __cplusplus
}
#endif
#endif
