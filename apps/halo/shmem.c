/* Halos over OpenSHMEM. */
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "shmem_1_4.h"
#include "transport.h"

const char* const transport_name = "OpenSHMEM";

/* ---- the job and its collectives */

void halo_start(int threads) {
  int provided;
  shmem_init_thread(threads > 1 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &provided);
  prepare_active_sets();
}

void halo_end(void) { shmem_finalize(); }

_Noreturn void halo_abort(int status) {
  shmem_global_exit(status);
  abort(); /* for libraries whose shmem_global_exit is not declared noreturn */
}

int halo_me(void) { return shmem_my_pe(); }

int halo_pes(void) { return shmem_n_pes(); }

void halo_barrier(void) { shmem_barrier_all(); }

/* Two results in turn: a PE that has begun the next reduction may already write into this PE's result. */
#define REDUCTION(type, name, operation)                               \
  type name(type mine) {                                               \
    static type from, to[2];                                           \
    static int turn;                                                   \
    const phase_t before = timers_enter(PHASE_REDUCE);                 \
    from = mine;                                                       \
    turn = !turn;                                                      \
    shmem_##operation##_reduce(SHMEM_TEAM_WORLD, &to[turn], &from, 1); \
    timers_enter(before);                                              \
    return to[turn];                                                   \
  }
REDUCTION(double, halo_sum, double_sum)
REDUCTION(double, halo_max, double_max)
REDUCTION(uint64_t, halo_sum_u64, uint64_sum)

/* Only the root may write `some`: on the other PEs the message may already be there. */
void halo_broadcast(void* data, size_t bytes, int root) {
  static _Alignas(8) char some[1 << 16];
  for (size_t done = 0; done < bytes; done += sizeof some) {
    const size_t n = bytes - done < sizeof some ? bytes - done : sizeof some;
    if (shmem_my_pe() == root) memcpy(some, (char*)data + done, n);
    shmem_broadcastmem(SHMEM_TEAM_WORLD, some, some, n, root);
    memcpy((char*)data + done, some, n);
    shmem_team_sync(SHMEM_TEAM_WORLD);
  }
}

int transport_open(halo_t* h, size_t bytes) {
  h->room = shmem_calloc(1, bytes);
  shmem_barrier_all(); /* Open MPI 4.1 zeroes the memory after the barrier in its calloc */
  return h->room == NULL;
}

void transport_close(halo_t* h) {
  shmem_barrier_all();
  shmem_free(h->room);
}

/* ---- parts that the ways share */

static char* out(const halo_t* h, int k) { return h->room + halo_slot(h, h->out, h->out_slot[k]); }

/* The slot in which the message along link k arrives; its offset is the same on every PE. */
static char* in_there(const halo_t* h, int k) { return h->room + halo_slot(h, h->in, h->link[k].there); }

static uint64_t* word(const halo_t* h, int array, int index) {
  return (uint64_t*)(void*)(h->room + halo_word(h, array, index));
}

static void put(const halo_t* h, int k) {
  halo_pause();
  shmem_putmem(in_there(h, k), out(h, k), halo_length(out(h, k)), h->link[k].pe);
}

static void tell(const halo_t* h, int array, int k) {
  shmem_uint64_atomic_set(word(h, array, h->link[k].there), h->turn, h->link[k].pe);
}

static void tell_all(const halo_t* h, int array) {
  for (int k = 0; k < h->links; k++) tell(h, array, k);
}

static void wait_all(halo_t* h) {
  for (int k = 0; k < h->links; k++) shmem_uint64_wait_until(word(h, words_arrived, k), SHMEM_CMP_GE, h->turn);
}

/* ---- the ways */

static void put_all_nbi(halo_t* h) {
  for (int k = 0; k < h->links; k++) shmem_putmem_nbi(in_there(h, k), out(h, k), halo_length(out(h, k)), h->link[k].pe);
}

static void barrier(halo_t* h) {
  (void)h;
  shmem_barrier_all();
}

static void quiet_sync(halo_t* h) {
  (void)h;
  shmem_quiet();
  shmem_sync_all();
}

static void put_fence_flag(halo_t* h) {
  for (int k = 0; k < h->links; k++) put(h, k);
  shmem_fence();
  tell_all(h, words_arrived);
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define BY_SIGNAL {put_signal, wait_signals}
static void put_signal(halo_t* h) {
  shmem_quiet(); /* completes the turn before: the next turn packs into its source buffer */
  for (int k = 0; k < h->links; k++)
    shmem_putmem_signal_nbi(in_there(h, k), out(h, k), halo_length(out(h, k)), word(h, words_arrived, h->link[k].there),
                            h->turn, SHMEM_SIGNAL_SET, h->link[k].pe);
}

static void wait_signals(halo_t* h) {
  for (int k = 0; k < h->links; k++) shmem_signal_wait_until(word(h, words_arrived, k), SHMEM_CMP_GE, h->turn);
}
#else
#define BY_SIGNAL {NULL, NULL}
#endif

static void put_when_granted(halo_t* h) {
  tell_all(h, words_granted);
  for (int k = 0; k < h->links; k++) {
    shmem_uint64_wait_until(word(h, words_granted, k), SHMEM_CMP_GE, h->turn);
    put(h, k);
    shmem_fence();
    tell(h, words_arrived, k);
  }
}

static void put_piece(int thread, void* of) {
  const halo_t* h = of;
  for (int k = 0; k < h->links; k++) {
    long from, to;
    share((long)halo_length(out(h, k)), threads_count(), thread, &from, &to);
    halo_pause();
    shmem_putmem(in_there(h, k) + from, out(h, k) + from, (size_t)(to - from), h->link[k].pe);
    shmem_fence();
    shmem_uint64_atomic_inc(word(h, words_counted, (int)(h->turn & 1)), h->link[k].pe);
  }
}

static void put_counted(halo_t* h) { threads_run(put_piece, h); }

/* There is one counter for each parity: a PE that is one turn ahead uses the other one. */
static void wait_count(halo_t* h) {
  const uint64_t pieces = (uint64_t)h->links * (uint64_t)threads_count() * halo_uses(h);
  shmem_uint64_wait_until(word(h, words_counted, (int)(h->turn & 1)), SHMEM_CMP_GE, pieces);
}

static void offer(halo_t* h) {
  shmem_fence(); /* orders the packed data before the flag */
  tell_all(h, words_arrived);
}

static void pull(halo_t* h) {
  for (int k = 0; k < h->links; k++) {
    char* to = h->room + halo_slot(h, h->in, k);
    const char* from = h->room + halo_slot(h, h->out, h->link[k].there);
    shmem_uint64_wait_until(word(h, words_arrived, k), SHMEM_CMP_GE, h->turn);
    shmem_getmem(to, from, slot_head, h->link[k].pe);
    shmem_getmem(to + slot_head, from + slot_head, halo_length(to) - slot_head, h->link[k].pe);
  }
}

static void alltoall(halo_t* h) {
  shmem_alltoallmem(SHMEM_TEAM_WORLD, h->room + halo_slot(h, h->in, 0), h->room + halo_slot(h, h->out, 0),
                    (size_t)h->block * h->stride);
}

const transport_way_t transport_ways[SYNCS] = {
    [SYNC_BARRIER] = {put_all_nbi, barrier},
    [SYNC_QUIET_SYNC] = {put_all_nbi, quiet_sync},
    [SYNC_FENCE_FLAG] = {put_fence_flag, wait_all},
    [SYNC_SIGNAL] = BY_SIGNAL,
    [SYNC_PSCW] = {put_when_granted, wait_all},
    [SYNC_COUNTER] = {put_counted, wait_count},
    [SYNC_GET_PULL] = {offer, pull},
    [SYNC_COLL] = {NULL, alltoall},
};
