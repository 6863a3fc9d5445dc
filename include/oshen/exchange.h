/* Irregular exchange: who sends what to whom is fixed once, then run many times.
 *
 * Three things, each made from the one before:
 *   arena   symmetric memory that all plans share, so that no plan needs a collective allocation;
 *   group   the PEs of a team or of a list;
 *   plan    the messages of this PE: to whom, from whom, and where they lie in the user's buffers.
 *
 *     oshen_arena_create(64 << 20, &arena);
 *     oshen_group_create(arena, team, &group);
 *     oshen_plan_create(group, &attr, &plan);
 *     for (...) oshen_plan_run(plan, in, out);
 *     oshen_plan_destroy(plan); oshen_group_destroy(group); oshen_arena_destroy(arena);
 *
 * The buffers are ordinary memory, and `in` may be `out` or overlap it: nothing in `out` is written
 * while `in` still holds something to be sent there. Only the public OpenSHMEM API is used, of 1.4
 * or later (teams only where the library has them). How PEs synchronise is a strategy, a row of a
 * table; "auto" measures them. docs/design/exchange.md compares them.
 *
 * Calls that are collective must be made by all PEs of the group in the same order. An arena, its
 * groups and their plans belong to one thread at a time. Functions that can fail return
 * oshen_status_t: the same value on all PEs of the group. Why a plan is refused is said in one line
 * on standard error by the PE that found it: which message, which peer and what both sides meant,
 * which promise a strategy needs, how much memory is missing.
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
  OSHEN_INVALID,     /* an argument makes no sense: peer out of range, a size of zero where none is
                        allowed, no strategy of this name, ... */
  OSHEN_UNSUPPORTED, /* the strategy exists but needs what this plan or this machine has not */
  OSHEN_NO_SPACE,    /* the arena, or this process, has too little memory left */
  OSHEN_MISMATCH     /* what one PE sends is not what the other receives, or they chose different
                        strategies */
} oshen_status_t;

/** What a status means, as a short phrase; never NULL. */
const char* oshen_status_text(oshen_status_t status);

typedef struct oshen_arena oshen_arena_t;
typedef struct oshen_group oshen_group_t;
typedef struct oshen_plan oshen_plan_t;

/* ---- arena */

/** Takes `bytes` of symmetric memory. Collective over all PEs, equal `bytes` everywhere. */
oshen_status_t oshen_arena_create(size_t bytes, oshen_arena_t** arena);

/** Gives the memory back. Collective over all PEs, after all groups of the arena are gone. NULL:
 * nothing. */
void oshen_arena_destroy(oshen_arena_t* arena);

/** A buffer in the arena, aligned to 64 bytes; NULL when there is no room. Local: sizes and
 * addresses may differ between PEs. Such buffers, like those of shmem_malloc, may be promised by
 * OSHEN_IN_SYMMETRIC and OSHEN_OUT_SYMMETRIC. */
void* oshen_arena_alloc(oshen_arena_t* arena, size_t bytes);

/** Local, when no run of a plan uses the buffer. NULL: nothing. */
void oshen_arena_free(oshen_arena_t* arena, void* buffer);

/** Where the arena begins: a symmetric address, so that PEs can tell one another where in it a
 * buffer lies. */
void* oshen_arena_base(const oshen_arena_t* arena);

/* ---- group */

#if OSHEN_EXCHANGE_TEAMS
/** Prepares the PEs of `team` for plans. Collective over `team`, which may be destroyed at once. */
oshen_status_t oshen_group_create(oshen_arena_t* arena, shmem_team_t team, oshen_group_t** group);
#endif

/** The same for any PEs (numbers of the world), in an order that is the same on all of them; the
 * calling PE is among them. Collective over the PEs of the list. */
oshen_status_t oshen_group_create_from_list(oshen_arena_t* arena, const int* pes, int n_pes,
                                            oshen_group_t** group);

/** Collective over the group, after all plans of the group are gone. NULL: nothing. */
void oshen_group_destroy(oshen_group_t* group);

/** How many PEs the group has, which of them this PE is, the number in the world of a member, and
 * the arena the group was made in. Local. */
int oshen_group_size(const oshen_group_t* group);
int oshen_group_rank(const oshen_group_t* group);
int oshen_group_pe(const oshen_group_t* group, int member);
oshen_arena_t* oshen_group_arena(const oshen_group_t* group);

/* ---- grid: the world in boxes. Local, arithmetic only. */

/** Cuts an array of these extents for `n` PEs: how many parts there are along each axis, n in all, so that none is
 * empty, if that can be, and the surface between parts is least. Entries of `dims` that are not 0 are
 * kept, as MPI_Dims_create does. OSHEN_INVALID: an extent or n is below 1, or what is kept does not divide n. */
oshen_status_t oshen_grid_dims(int n, const int extent[3], int dims[3]);

/** Where in the grid a member is, axis 0 counting fastest; and who is there: -1 beyond the edge, but along an axis a
 * with bit 1 << a of `periodic` the grid is closed to a ring. */
void oshen_grid_coords(const int dims[3], int member, int coords[3]);
int oshen_grid_member(const int dims[3], const int coords[3], unsigned periodic);

/** A member's part of the array: size[a] elements from low[a] on, sizes as equal as can be. Cut so, the parts cover
 * the array, as oshen/fft.h wants its boxes. */
void oshen_grid_box(const int extent[3], const int dims[3], int member, int low[3], int size[3]);

/* ---- plan */

/** A three-dimensional array of elements in a user's buffer; sizes, offsets and strides in bytes.
 * Element (a,b,c) lies at offset + a*stride[0] + b*stride[1] + c*stride[2]. Elements travel with
 * the first axis fastest: give sender and receiver the same extents, and different strides where
 * the data is to be transposed. List the axes in the order of the output's memory. */
typedef struct oshen_box {
  size_t offset;
  size_t element; /* bytes of one element */
  size_t extent[3];
  size_t stride[3];
} oshen_box_t;

/** One message: to or from a peer. Several for one peer match in the order listed. */
typedef struct oshen_message {
  int peer;        /* number in the group; oneself is allowed */
  size_t bytes;    /* length of one field; 0 is allowed */
  oshen_box_t box; /* where it lies; not read when the plan has callbacks */
} oshen_message_t;

/* Promises about the buffers of every run; equal on all PEs of the group. Symmetric: in the arena
 * (oshen_arena_alloc) or in the symmetric heap, at any offset. What a plan may do then: strategies
 * `direct` (needs OUT) and `direct_get` (needs IN). Apart: `in` and `out` never overlap, on no
 * PE.*/
#define OSHEN_IN_SYMMETRIC 1u
#define OSHEN_OUT_SYMMETRIC 2u
#define OSHEN_BUFFERS_APART 4u

/** How to make a plan. Zero it, set `size`, fill what is needed; the plan keeps copies of the
 * lists and strings. */
typedef struct oshen_plan_attr {
  size_t size;          /* sizeof(oshen_plan_attr_t) */
  const char* strategy; /* name of a row of oshen_strategy_at, or "auto"; NULL = the first row */
  const oshen_message_t* sends;
  const oshen_message_t* receives;
  int n_sends;
  int n_receives;
  /* Instead of boxes: copy message number `message` of the sends from the user's `in` to `wire`, or
   * of the receives from `wire` to the user's `out`; one field at a time. Both or none; `context`
   * is handed through. */
  void (*pack)(void* context, int message, const void* in, void* wire);
  void (*unpack)(void* context, int message, const void* wire, void* out);
  void* context;
  /* Fields: the whole pattern for several buffers at once, all fields of a peer in one message.
   * Field f lies f * stride bytes behind the first, or anywhere with oshen_plan_start_fields. */
  int n_fields;           /* 0 means 1; equal on all PEs */
  size_t in_field_stride; /* bytes */
  size_t out_field_stride;
  unsigned buffers;    /* OSHEN_IN_SYMMETRIC | ...; equal on all PEs */
  /* Elements that lie anywhere, as in unstructured meshes. Entry i, or the whole list, is NULL where the box of
   * message i says where its elements lie; else it points to as many offsets as the box has elements, in bytes from
   * box.offset, in the order in which the elements travel, and the strides are not read. One side may have a list and
   * the other a box. Not with callbacks. Read while the plan is made. */
  const size_t* const* send_offsets;
  const size_t* const* receive_offsets;
  const char* choices; /* a file in which "auto" looks up and stores its choices, or NULL: read and
                          written by the group's PE 0 only */
} oshen_plan_attr_t;

/** Makes a plan. Collective over the group; runs of other plans may be under way. With "auto" the
 * candidates are run on memory of the plan's own, which takes some milliseconds, and the callbacks,
 * if any, are called with it. */
oshen_status_t oshen_plan_create(oshen_group_t* group, const oshen_plan_attr_t* attr,
                                 oshen_plan_t** plan);

/** Memory, in bytes. */
typedef struct oshen_need {
  size_t symmetric; /* of the arena, in one piece */
  size_t ordinary;  /* in which messages are packed: the plans of an arena share it, unless several run at once */
} oshen_need_t;

/** What oshen_plan_create would take on this PE, with "auto" the most that it may take while it measures. Local: no PE
 * is asked, so that needs differ where messages do; an arena must have what the PE needs that needs most. Whoever has
 * no arena yet asks in a group of a small one (a page). Returns what this PE finds wrong with `attr` by itself. */
oshen_status_t oshen_plan_need(oshen_group_t* group, const oshen_plan_attr_t* attr, oshen_need_t* need);

/** Exchanges: sends from `in`, receives into `out`. Collective over the group. On return `out` is
 * complete and `in` may be changed. A side with no messages may be NULL. */
void oshen_plan_run(oshen_plan_t* plan, const void* in, void* out);

/** Local, at any time between runs, also while peers are still in the last one or other plans run.
 * NULL: nothing. */
void oshen_plan_destroy(oshen_plan_t* plan);

/* ---- a run in parts: start, test or wait_any as often as you like, release. */

/** Begins a run and returns without waiting for a peer. Until the release `in` must not be changed
 * (see oshen_plan_in_is_free) and `out` not be touched but where data has arrived. Several plans
 * may be started; the order of starts must be the same on all PEs, that of releases need not. */
void oshen_plan_start(oshen_plan_t* plan, const void* in, void* out);

/** The same with one buffer for each field: n_fields addresses each; arrays may be reused at once.
 */
void oshen_plan_start_fields(oshen_plan_t* plan, const void* const* in, void* const* out);

/** Goes on with the run as far as possible without waiting. True when everything is done: what is
 * left for the release does not wait. */
int oshen_plan_test(oshen_plan_t* plan);

/** Waits until the data of another peer is in `out` and returns its number in the group; each peer
 * that sends anything, oneself included, is returned once per run; -1 when all have been. */
int oshen_plan_wait_any(oshen_plan_t* plan);

/** Whether the data of `peer` is in `out`; true for a peer that sends nothing. Does not go on with
 * the run. */
int oshen_plan_has_arrived(const oshen_plan_t* plan, int peer);

/** Whether `in` may be changed: all that is in it has left it. Does not go on with the run. */
int oshen_plan_in_is_free(const oshen_plan_t* plan);

/** Ends the run: waits for what is missing. Once for each start. */
void oshen_plan_release(oshen_plan_t* plan);

/* ---- what happened */

/** What a plan has done on this PE so far. Waits in which several runs were under way count as
 * wait_seconds, but no peer is blamed for them. */
typedef struct oshen_plan_stats {
  uint64_t runs;
  uint64_t messages;     /* sent to other PEs: parcels, each with all that goes to one peer */
  uint64_t bytes;        /* sent to other PEs */
  uint64_t bytes_direct; /* of those, moved by loads and stores into memory shared with the peer */
  uint64_t bytes_self;   /* kept: messages to oneself */
  double pack_seconds;   /* packing and putting, and pulling */
  double wait_seconds;   /* waiting for the others */
  double unpack_seconds;
  int latest_peer;       /* who most often kept this PE waiting; -1: nobody has */
  uint64_t latest_runs;  /* waits that ended with the data of this peer */
  double latest_seconds; /* and how long they took */
} oshen_plan_stats_t;

/** Local. */
void oshen_plan_stats(const oshen_plan_t* plan, oshen_plan_stats_t* stats);

/** Name of the plan's strategy (with "auto": what was chosen). Lives for ever. */
const char* oshen_plan_strategy(const oshen_plan_t* plan);

/** What "auto" measured: seconds of one run with row `index` of the table of strategies, the
 * slowest PE's; negative when the row was not tried. */
double oshen_plan_measured(const oshen_plan_t* plan, int index);

/** Writes one line for people: strategy, sizes, peers, times, who was late. Returns the length
 * without the final 0, like snprintf. */
size_t oshen_plan_describe(const oshen_plan_t* plan, char* text, size_t size);

/** Row `index` of the table of strategies, in order of preference; false past the end. Strings live
 * for ever. */
typedef struct oshen_strategy_info {
  const char* name;
  const char* about;
} oshen_strategy_info_t;
int oshen_strategy_at(int index, oshen_strategy_info_t* info);

#ifdef __cplusplus
}
#endif
#endif
