/* Irregular exchange: who sends what to whom is fixed once, then run many times.
 *
 * Three things, each made from the one before:
 *   arena   symmetric memory that all later plans share, so that no plan needs a collective
 * allocation; group   the PEs of one team, and the part of the arena in which they receive; plan
 * the messages of this PE: to whom, from whom, and where they lie in the user's buffers.
 *
 *     oshen_arena_create(64 << 20, &arena);
 *     oshen_group_create(arena, team, &group);
 *     oshen_plan_create(group, &attr, &plan);
 *     for (...) oshen_plan_run(plan, in, out);
 *     oshen_plan_destroy(plan); oshen_group_destroy(group); oshen_arena_destroy(arena);
 *
 * The buffers are ordinary memory, and `in` may be `out`: nothing is written to `out` before
 * everything has left `in`. Only the OpenSHMEM API is used (1.5 or later, for teams), so this works
 * on any complete library. On a node, where shmem_ptr reaches the receiver, a message is packed
 * straight into the receiver's memory.
 *
 * Calls that are collective must be made by all PEs of the group in the same order. A group and its
 * plans belong to one thread at a time. Functions that can fail return oshen_status_t: the same
 * value on all PEs of the group.
 */
#ifndef OSHEN_EXCHANGE_H
#define OSHEN_EXCHANGE_H

#include <shmem.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum oshen_status {
  OSHEN_OK = 0,
  OSHEN_INVALID,  /* an argument makes no sense: peer out of range, a size of zero where none is
                     allowed, ... */
  OSHEN_NO_SPACE, /* the arena, or this process, has too little memory left */
  OSHEN_MISMATCH  /* what one PE sends is not what the other receives, or they chose different
                     strategies */
} oshen_status_t;

/** What a status means, as a short phrase; never NULL. */
const char* oshen_status_text(oshen_status_t status);

typedef struct oshen_arena oshen_arena_t;
typedef struct oshen_group oshen_group_t;
typedef struct oshen_plan oshen_plan_t;

/** Takes `bytes` of symmetric memory. Collective over SHMEM_TEAM_WORLD, equal `bytes` everywhere.
 */
oshen_status_t oshen_arena_create(size_t bytes, oshen_arena_t** arena);

/** Gives the memory back. Collective over SHMEM_TEAM_WORLD, after all groups of the arena are gone.
 * NULL: nothing. */
void oshen_arena_destroy(oshen_arena_t* arena);

/** Prepares the PEs of `team` for plans. Collective over `team`, which must outlive the group.
 * Plans of one group share their receive memory: make one group per team, not one per plan. */
oshen_status_t oshen_group_create(oshen_arena_t* arena, shmem_team_t team, oshen_group_t** group);

/** Collective over the group's team, after all plans of the group are gone. NULL: nothing. */
void oshen_group_destroy(oshen_group_t* group);

/** A three-dimensional array of elements in a user's buffer; sizes, offsets and strides in bytes.
 * Element (a,b,c) lies at offset + a*stride[0] + b*stride[1] + c*stride[2]. Elements travel with
 * the first axis fastest: give sender and receiver the same extents, and different strides where
 * the data is to be transposed. */
typedef struct oshen_box {
  size_t offset;
  size_t element; /* bytes of one element */
  size_t extent[3];
  size_t stride[3];
} oshen_box_t;

/** One message: to or from a peer. Several for one peer match in the order listed. */
typedef struct oshen_message {
  int peer;        /* number in the group's team; oneself is allowed */
  size_t bytes;    /* length; 0 is allowed */
  oshen_box_t box; /* where it lies; not read when the plan has callbacks */
} oshen_message_t;

/** How to make a plan. Zero it, set `size`, fill what is needed; the plan keeps copies of the
 * lists. */
typedef struct oshen_plan_attr {
  size_t size;          /* sizeof(oshen_plan_attr_t) */
  const char* strategy; /* name of a row of oshen_strategy_at, NULL = the first */
  const oshen_message_t* sends;
  const oshen_message_t* receives;
  int n_sends;
  int n_receives;
  /* Instead of boxes: copy message number `message` of the sends from the user's `in` to `wire`, or
   * of the receives from `wire` to the user's `out`. Both or none; `context` is handed through. */
  void (*pack)(void* context, int message, const void* in, void* wire);
  void (*unpack)(void* context, int message, const void* wire, void* out);
  void* context;
} oshen_plan_attr_t;

/** Makes a plan. Collective over the group. */
oshen_status_t oshen_plan_create(oshen_group_t* group, const oshen_plan_attr_t* attr,
                                 oshen_plan_t** plan);

/** Exchanges: sends from `in`, receives into `out`. Collective over the group. On return `out` is
 * complete and `in` may be changed. A side with no messages may be NULL. */
void oshen_plan_run(oshen_plan_t* plan, const void* in, void* out);

/** Local, at any time between runs. NULL: nothing. */
void oshen_plan_destroy(oshen_plan_t* plan);

/** What a plan has done on this PE so far. */
typedef struct oshen_plan_stats {
  uint64_t runs;
  uint64_t messages;     /* sent to other PEs */
  uint64_t bytes;        /* sent to other PEs */
  uint64_t bytes_direct; /* of those, packed straight into the receiver's memory */
  uint64_t bytes_self;   /* kept: messages to oneself */
  double pack_seconds;   /* packing and putting */
  double wait_seconds;   /* waiting for the others */
  double unpack_seconds;
} oshen_plan_stats_t;

/** Local. */
void oshen_plan_stats(const oshen_plan_t* plan, oshen_plan_stats_t* stats);

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
