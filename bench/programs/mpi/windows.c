// Put and Get to the next process by kind of window and by synchronisation: window.OPERATION.KIND.SYNCHRONISATION. Each
// operation is synchronised alone, as in the latency tests of OMB and RMA-MT. If the target takes part in that (fence,
// pscw), it runs the loop too. A case has a window of its own, so that no epoch of one kind follows one of another.
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "cases.h"

typedef enum { flush, flush_all, flush_local, flush_local_all, lock, lock_all, fence, pscw } way;
static const char* const ways[] = {"flush", "flush_all", "flush_local", "flush_local_all",
                                   "lock",  "lock_all",  "fence",       "pscw"};

static MPI_Win own = MPI_WIN_NULL;
static unsigned char* base;  // the memory of this process
static MPI_Aint there;       // displacement in the next process
static bool own_memory, locked;
static way synchronisation;
static size_t length;
static MPI_Group origin = MPI_GROUP_NULL, target_group = MPI_GROUP_NULL;

// ---- windows; all collective

static void close_window(void) {
  if (own == MPI_WIN_NULL) return;
  if (locked) MPI_Win_unlock_all(own);
  MPI_Win_free(&own);
  if (own_memory) free(base);
  MPI_Group_free(&origin);
  MPI_Group_free(&target_group);
}

static void open_dynamic(void) {
  MPI_Aint here = 0;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &own);
  MPI_Win_attach(own, base, block_bytes);
  MPI_Get_address(base, &here);
  MPI_Sendrecv(&here, 1, MPI_AINT, previous_rank, 0, &there, 1, MPI_AINT, next_rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void open_window(const char* kind) {
  own_memory = strcmp(kind, "allocate") != 0;
  there = 0;
  if (own_memory && (base = aligned_alloc(4096, block_bytes)) == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
  if (strcmp(kind, "allocate") == 0)
    MPI_Win_allocate(block_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &own);
  else if (strcmp(kind, "create") == 0)
    MPI_Win_create(base, block_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own);
  else
    open_dynamic();
}

// Process 0 accesses the next process; no other takes part.
static void find_groups(void) {
  const int zero = 0, one = 1 % bench_pes;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &zero, &origin);
  MPI_Group_incl(all, 1, &one, &target_group);
  MPI_Group_free(&all);
}

// The kind and the synchronisation in "window.put.create.lock".
static void prepare(long size) {
  char name[64];
  strcpy(name, bench_current->name);
  char* const how = strrchr(name, '.');
  *how = '\0';
  close_window();
  open_window(strrchr(name, '.') + 1);
  find_groups();
  for (synchronisation = flush; strcmp(ways[synchronisation], how + 1) != 0;) ++synchronisation;
  length = (size_t)size;
  block_begin(length);
}

static void begin_epochs(void) {
  locked = synchronisation <= flush_local_all;
  if (synchronisation == fence) MPI_Win_fence(0, own);
  if (locked) MPI_Win_lock_all(0, own);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void prepare_put(long size) {
  prepare(size);
  block_fill(local_block);
  memset(base, 0, block_bytes);
  begin_epochs();
}
static void prepare_get(long size) {
  prepare(size);
  block_fill(base);
  block_stamp(base, bench_me == 0 ? -1 : 1);
  memset(local_block, 0, length);
  begin_epochs();
}

// ---- one operation

static void begin(void) {
  if (synchronisation == lock) MPI_Win_lock(MPI_LOCK_SHARED, next_rank, 0, own);
  if (synchronisation == lock_all) MPI_Win_lock_all(0, own);
  if (synchronisation == pscw) MPI_Win_start(target_group, 0, own);
}
static void end(void) {
  switch (synchronisation) {
    case flush: MPI_Win_flush(next_rank, own); break;
    case flush_all: MPI_Win_flush_all(own); break;
    case flush_local: MPI_Win_flush_local(next_rank, own); break;
    case flush_local_all: MPI_Win_flush_local_all(own); break;
    case lock: MPI_Win_unlock(next_rank, own); break;
    case lock_all: MPI_Win_unlock_all(own); break;
    case fence: MPI_Win_fence(0, own); break;
    case pscw: MPI_Win_complete(own); break;
  }
}

// The part of all processes but process 0 in a batch.
static void take_part(long count) {
  for (long i = 0; i < count && synchronisation == fence; ++i) MPI_Win_fence(0, own);
  for (long i = 0; i < count && synchronisation == pscw && bench_me == 1; ++i) {
    MPI_Win_post(origin, 0, own);
    MPI_Win_wait(own);
  }
}

static void put(long first, long count) {
  if (bench_me != 0) {
    take_part(count);
    return;
  }
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    begin();
    MPI_Put(local_block, (int)length, MPI_BYTE, next_rank, there, (int)length, MPI_BYTE, own);
    end();
  }
  if (locked) MPI_Win_flush(next_rank, own);  // was complete at the origin only
}
static void get(long first, long count) {
  if (bench_me != 0) {
    take_part(count);
    return;
  }
  for (long i = first; i < first + count; ++i) {
    block_stamp(local_block, 0);
    begin();
    MPI_Get(local_block, (int)length, MPI_BYTE, next_rank, there, (int)length, MPI_BYTE, own);
    end();
  }
}

static bool put_valid(long first, long count) {
  if (locked) MPI_Win_sync(own);
  return bench_me != 1 % bench_pes || block_arrived(base, first + count);
}
static bool get_valid(long first, long count) {
  (void)first;
  return count > 0 && (bench_me != 0 || block_arrived(local_block, 1));
}

static const long sizes[] = {8, 512, 4 << 10, 64 << 10, 1 << 20, 0};
enum { mode = bench_everyone | bench_assisted | bench_bytewise };

#define ROW(kind, way, how)                                                                                    \
  {"window.put." #kind "." #way, "Put; " how, reference_copy_out, prepare_put, put, put_valid, mode, sizes}, { \
    "window.get." #kind "." #way, "Get; " how, reference_copy_in, prepare_get, get, get_valid, mode, sizes     \
  }
#define ROWS(kind)                                                                                               \
  ROW(kind, flush, "Win_flush in lock_all"), ROW(kind, flush_all, "Win_flush_all in lock_all"),                  \
      ROW(kind, flush_local, "Win_flush_local in lock_all"),                                                     \
      ROW(kind, flush_local_all, "Win_flush_local_all in lock_all"), ROW(kind, lock, "in Win_lock, Win_unlock"), \
      ROW(kind, lock_all, "in Win_lock_all, Win_unlock_all"), ROW(kind, fence, "Win_fence of all"),              \
      ROW(kind, pscw, "Post, Start, Complete, Wait")

BENCH_KINDS = {{"window.*", "pt2pt", "put and get of MPI by kind of window and synchronisation", .streams = 1}};

static const bench_case cases[] = {ROWS(allocate), ROWS(create), ROWS(dynamic), {0}};

BENCH_CASES(bench_two_pes, cases)
BENCH_AROUND(NULL, close_window)

// Fault: a Get brings nothing.
// Noticed by: get, window.get.*
#ifdef BENCH_FAULT
int MPI_Get(void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w) {
  return MPI_SUCCESS;
}
#endif
