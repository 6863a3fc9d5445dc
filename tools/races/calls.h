/* What the generated wrappers of OpenSHMEM tell the detector. All functions return at once if the detector is not
 * active. `at` is the number that races_site gave to the call; `pe` is a number of the world. */
#ifndef RACES_CALLS_H
#define RACES_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const char* const races_routines[]; /* generated; the names of the wrapped routines, then NULL */

/* The number of the place `caller` that calls the routine with this index to move `bytes` bytes. */
uint32_t races_site(uint32_t routine, const void* caller, size_t bytes);
/* The other PE of an operation, and the context of it; NULL is the default context. */
struct races_peer {
  int pe; /* number of the world, -1: none */
  void* ctx;
  int shared_team; /* whether the team of the context descends from SHMEM_TEAM_SHARED */
};
struct races_peer races_peer_of(void* ctx, int pe);
/* After a split of `parent` that made `team`, or SHMEM_TEAM_INVALID. */
void races_team_made(void* parent, void* team);

/* Start and end. The first is called after the library has started, the second before it ends. Both are collective. The
 * third is called before this PE ends the job. */
void races_start(void);
void races_stop(uint32_t at);
void races_leave(void);

/* A block transfer: nblocks blocks of bsize bytes; dst and sst are the distances between the starts of blocks, in
 * bytes. */
struct races_shape {
  size_t bsize, nblocks;
  ptrdiff_t dst, sst;
};
enum races_completion { races_blocking, races_nonblocking, races_signalled, races_nonblocking_signalled };
/* Before a put (source NULL: a value) and before a get. */
void races_put(uint32_t at, void* dest, const void* source, struct races_shape shape, struct races_peer to,
               int completion);
void races_get(uint32_t at, void* dest, const void* source, struct races_shape shape, struct races_peer to,
               int completion);
/* A block of an array: see shmemx_subarray_put. */
struct races_array {
  const void* start;
  const size_t *sizes, *starts;
};
enum races_transfer { races_puts, races_gets };
/* Before a put or get of a block of an array. */
void races_subarray(uint32_t at, enum races_transfer move, struct races_array dest, struct races_array source,
                    const size_t* extents, int axes, size_t element_bytes, struct races_peer to, int completion);
/* Before a small put or signal update, which may tell a PE that waits: all that it releases is tied to dest. */
/* `value`: NULL, or the number that dest becomes. */
void races_release(uint32_t at, void* dest, size_t bytes, struct races_peer to, const int64_t* value);
/* Before a put with signal, after its races_put: the signal tells of its own data at once. */
void races_signal(uint32_t at, void* signal, struct races_peer to, const int64_t* value);
/* After a read of the object that may see such an update. */
void races_acquire(const void* object, size_t bytes, int pe);
/* The same for a wait or test of this PE that found "object comparison value" true. `type`: a number of generate.py. */
void races_acquire_when(uint32_t at, const void* object, size_t bytes, int type, int comparison, int64_t value);
void races_acquire_one(uint32_t at, const void* object, size_t bytes, int type);
/* The same for n objects that a wait or test names; `status` non-zero excludes an object, NULL excludes none. */
void races_acquire_all(uint32_t at, const void* objects, size_t bytes, int type, size_t n, const int* status);
void races_acquire_some(uint32_t at, const void* objects, size_t bytes, int type, const size_t* indices, size_t n);
/* Before an atomic operation. fetch: NULL, or the buffer of a non-blocking one. */
enum races_atomic_kind { races_reads = 1, races_writes = 2 };
void races_atomic(uint32_t at, const void* object, size_t bytes, int type, struct races_peer to, int kind, void* fetch,
                  const int64_t* value);

void races_fence(const void* ctx);
void races_quiet(const void* ctx);
void races_quiet_local(const void* ctx);
void races_quiet_of(void* ctx, const int* pes, size_t n);
void races_lock(const long* lock);
void races_unlock(uint32_t at, const long* lock);

/* The PEs of a collective: a team, or an active set with its pSync. */
struct races_group {
  void* team;
  int start, log_stride, n;
  long* psync;
};
struct races_group races_world(void);
/* The flow of data in a collective decides what it orders. */
enum races_flow {
  races_barrier,   /* quiet, then all after all */
  races_sync,      /* all after all */
  races_alltoall,  /* block i of source becomes block `my number` of dest on PE i */
  races_fcollect,  /* source becomes block `my number` of dest on all PEs */
  races_collect,   /* the same with unequal blocks */
  races_broadcast, /* source of root becomes dest of all PEs */
  races_reduce,    /* all after all; each PE writes its own dest */
  races_scan       /* each PE after those of lower numbers */
};
/* Before a collective. bytes: of a block; the distances in shape are those of alltoalls. */
void races_collective(uint32_t at, int flow, struct races_group group, void* dest, const void* source,
                      struct races_shape shape, int root);

/* Extensions. The blocks of a vector collective: counts[i] elements of `width` bytes at base + displs[i]. displs NULL:
 * the blocks are adjacent. counts NULL: one block of n elements. */
struct races_blocks {
  const void* base;
  size_t width;
  const size_t *counts, *displs;
  size_t n;
};
/* The PEs of the team that tell others that they have come here, and those others. */
enum races_telling { races_all_tell_all, races_all_tell_root, races_root_tells_all };
/* Before a collective. Its dest counts as written by the PE to which it belongs. That of a non-blocking one and its
 * source are in use until it is complete. */
void races_exchange(uint32_t at, int telling, void* team, int root, struct races_blocks dest,
                    struct races_blocks source);
/* Before and after the start of a non-blocking collective. */
void races_begin(uint32_t at, int telling, void* team, int root, struct races_blocks source);
void races_begun(uint32_t at, int telling, void* team, int root, struct races_blocks dest, struct races_blocks source,
                 void* request);
/* The PEs of a team, and the number of this PE in it; 0 for an invalid team. */
size_t races_team_pes(void* team);
size_t races_team_me(void* team);
/* The library's function of this name, behind the wrapper. */
void* races_next(const char* name);

/* After an allocation, and before the end of one. The call of the heap itself is between them. */
void races_begin_block(uint32_t at, void* block, size_t bytes);
void races_allocated(uint32_t at, void* block, size_t bytes);
void races_allocated_with_hints(uint32_t at, void* block, size_t bytes, long hints);
void races_freed(uint32_t at, void* block);

#ifdef __cplusplus
}
#endif
#endif
