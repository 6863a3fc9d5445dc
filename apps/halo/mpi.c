/* Halos over MPI: one-sided ways, which use one window, and send and receive. */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "transport.h"

const char* const transport_name = "MPI";

typedef struct mpi_room {
  MPI_Win window;
  MPI_Group neighbours;
  MPI_Request* requests;
} mpi_room_t;

/* ---- the job and its collectives */

void halo_start(int threads) {
  int provided;
  const int wanted = threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(NULL, NULL, wanted, &provided);
  if (provided < wanted) halo_abort(3);
}

void halo_end(void) { MPI_Finalize(); }

_Noreturn void halo_abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  abort();
}

int halo_me(void) {
  int me;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  return me;
}

int halo_pes(void) {
  int n;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  return n;
}

void halo_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void reduce(void* word, MPI_Datatype type, MPI_Op operation) {
  const phase_t before = timers_enter(PHASE_REDUCE);
  MPI_Allreduce(MPI_IN_PLACE, word, 1, type, operation, MPI_COMM_WORLD);
  timers_enter(before);
}

double halo_sum(double mine) {
  reduce(&mine, MPI_DOUBLE, MPI_SUM);
  return mine;
}

double halo_max(double mine) {
  reduce(&mine, MPI_DOUBLE, MPI_MAX);
  return mine;
}

uint64_t halo_sum_u64(uint64_t mine) {
  reduce(&mine, MPI_UINT64_T, MPI_SUM);
  return mine;
}

void halo_broadcast(void* data, size_t bytes, int root) { MPI_Bcast(data, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD); }

/* ---- the room */

static MPI_Group group_of(int links, const halo_link_t* link) {
  MPI_Group world, group;
  int* const ranks = malloc(((size_t)links + 1) * sizeof(int));
  int n = 0;
  if (ranks == NULL) halo_abort(3);
  for (int k = 0; k < links; k++) {
    int known = 0;
    for (int j = 0; j < n; j++) known |= ranks[j] == link[k].pe;
    if (!known) ranks[n++] = link[k].pe;
  }
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, n, ranks, &group);
  MPI_Group_free(&world);
  free(ranks);
  return group;
}

/* Fence and PSCW open and close their own epochs; the other ways use one that stays open. */
static int shared_epoch(const halo_t* h) { return h->how != SYNC_BARRIER && h->how != SYNC_PSCW; }

int transport_open(halo_t* h, size_t bytes) {
  mpi_room_t* r = malloc(sizeof *r);
  if (r == NULL) halo_abort(3);
  h->transport = r;
  MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &h->room, &r->window);
  r->neighbours = group_of(h->links, h->link);
  r->requests = malloc((2 * (size_t)h->links + 1) * sizeof *r->requests);
  if (r->requests == NULL) halo_abort(3);
  memset(h->room, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (shared_epoch(h)) MPI_Win_lock_all(0, r->window);
  if (h->how == SYNC_BARRIER) MPI_Win_fence(0, r->window);
  return 0;
}

void transport_close(halo_t* h) {
  mpi_room_t* r = h->transport;
  if (shared_epoch(h)) MPI_Win_unlock_all(r->window);
  if (h->how == SYNC_BARRIER) MPI_Win_fence(MPI_MODE_NOSUCCEED, r->window);
  MPI_Group_free(&r->neighbours);
  MPI_Win_free(&r->window);
  free(r->requests);
  free(r);
}

/* ---- pieces of the ways */

static MPI_Win window(const halo_t* h) { return ((mpi_room_t*)h->transport)->window; }

static char* out(const halo_t* h, int k) { return h->room + halo_slot(h, h->out, h->out_slot[k]); }

static void put(const halo_t* h, int k, size_t from, size_t to) {
  const MPI_Aint there = (MPI_Aint)(halo_slot(h, h->in, h->link[k].there) + from);
  const int n = (int)(to - from);
  halo_pause();
  MPI_Put(out(h, k) + from, n, MPI_BYTE, h->link[k].pe, there, n, MPI_BYTE, window(h));
}

static void put_all(halo_t* h) {
  for (int k = 0; k < h->links; k++) put(h, k, 0, halo_length(out(h, k)));
}

static void update(const halo_t* h, int k, size_t at, uint64_t value, MPI_Op operation) {
  const int pe = h->link[k].pe;
  MPI_Accumulate(&value, 1, MPI_UINT64_T, pe, (MPI_Aint)at, 1, MPI_UINT64_T, operation, window(h));
  MPI_Win_flush(pe, window(h));
}

static void tell_all(halo_t* h) {
  for (int k = 0; k < h->links; k++) update(h, k, halo_word(h, words_arrived, h->link[k].there), h->turn, MPI_REPLACE);
}

static void wait_word(const halo_t* h, size_t at, uint64_t least) {
  uint64_t nothing = 0, value = 0;
  const int me = halo_me();
  for (;;) {
    MPI_Fetch_and_op(&nothing, &value, MPI_UINT64_T, me, (MPI_Aint)at, MPI_NO_OP, window(h));
    MPI_Win_flush(me, window(h));
    if (value >= least) break;
    sched_yield();
  }
  MPI_Win_sync(window(h));
}

/* ---- the ways */

static void fence(halo_t* h) { MPI_Win_fence(0, window(h)); }

static void flush_barrier(halo_t* h) {
  MPI_Win_flush_all(window(h));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window(h));
}

static void put_flush_flag(halo_t* h) {
  put_all(h);
  MPI_Win_flush_all(window(h));
  tell_all(h);
}

static void wait_all(halo_t* h) {
  for (int k = 0; k < h->links; k++) wait_word(h, halo_word(h, words_arrived, k), h->turn);
}

static void post_start_put(halo_t* h) {
  mpi_room_t* r = h->transport;
  MPI_Win_post(r->neighbours, 0, r->window);
  MPI_Win_start(r->neighbours, 0, r->window);
  put_all(h);
}

static void complete_wait(halo_t* h) {
  MPI_Win_complete(window(h));
  MPI_Win_wait(window(h));
}

static void put_piece(int thread, void* of) {
  const halo_t* h = of;
  for (int k = 0; k < h->links; k++) {
    long from, to;
    share((long)halo_length(out(h, k)), threads_count(), thread, &from, &to);
    put(h, k, (size_t)from, (size_t)to);
    MPI_Win_flush(h->link[k].pe, window(h));
    update(h, k, halo_word(h, words_counted, (int)(h->turn & 1)), 1, MPI_SUM);
  }
}

static void put_counted(halo_t* h) { threads_run(put_piece, h); }

static void wait_count(halo_t* h) {
  const uint64_t pieces = (uint64_t)h->links * (uint64_t)threads_count() * halo_uses(h);
  wait_word(h, halo_word(h, words_counted, (int)(h->turn & 1)), pieces);
}

static void offer(halo_t* h) {
  MPI_Win_sync(window(h));
  tell_all(h);
}

static void pull(halo_t* h) {
  for (int k = 0; k < h->links; k++) {
    char* const to = h->room + halo_slot(h, h->in, k);
    const int pe = h->link[k].pe;
    const MPI_Aint from = (MPI_Aint)halo_slot(h, h->out, h->link[k].there);
    wait_word(h, halo_word(h, words_arrived, k), h->turn);
    MPI_Get(to, slot_head, MPI_BYTE, pe, from, slot_head, MPI_BYTE, window(h));
    MPI_Win_flush(pe, window(h));
    const int rest = (int)(halo_length(to) - slot_head);
    MPI_Get(to + slot_head, rest, MPI_BYTE, pe, from + slot_head, rest, MPI_BYTE, window(h));
    MPI_Win_flush(pe, window(h));
  }
  MPI_Win_sync(window(h));
}

static void alltoall(halo_t* h) {
  const int n = (int)((size_t)h->block * h->stride);
  MPI_Alltoall(h->room + halo_slot(h, h->out, 0), n, MPI_BYTE, h->room + halo_slot(h, h->in, 0), n, MPI_BYTE,
               MPI_COMM_WORLD);
}

/* The tag is the receiver's link. */
static void send_receive(halo_t* h) {
  MPI_Request* const requests = ((mpi_room_t*)h->transport)->requests;
  for (int k = 0; k < h->links; k++)
    MPI_Irecv(h->room + halo_slot(h, h->in, k), (int)h->stride, MPI_BYTE, h->link[k].pe, k, MPI_COMM_WORLD,
              &requests[k]);
  for (int k = 0; k < h->links; k++)
    MPI_Isend(out(h, k), (int)halo_length(out(h, k)), MPI_BYTE, h->link[k].pe, h->link[k].there, MPI_COMM_WORLD,
              &requests[h->links + k]);
}

static void wait_requests(halo_t* h) {
  MPI_Request* const requests = ((mpi_room_t*)h->transport)->requests;
  for (int i = 0; i < 2 * h->links; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

const transport_way_t transport_ways[SYNCS] = {
    [SYNC_BARRIER] = {put_all, fence},
    [SYNC_QUIET_SYNC] = {put_all, flush_barrier},
    [SYNC_FENCE_FLAG] = {put_flush_flag, wait_all},
    [SYNC_PSCW] = {post_start_put, complete_wait},
    [SYNC_COUNTER] = {put_counted, wait_count},
    [SYNC_GET_PULL] = {offer, pull},
    [SYNC_COLL] = {NULL, alltoall},
    [SYNC_TWO_SIDED] = {send_receive, wait_requests},
};
