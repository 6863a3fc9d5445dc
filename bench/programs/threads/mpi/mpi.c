// The operations, windows and synchronisations of MPI RMA for the thread cases, and sends. A context is a window:
// `default` one for all threads, `private` one for each. put and get are complete at the origin before the next, as in
// OpenSHMEM; put_nbi and get_nbi are plain Put and Get.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "tell_mpi.h"
#include "threads.h"

enum { op_put, op_put_nbi, op_get, op_get_nbi, op_fetch_add, op_send };
enum { ctx_default, ctx_private };
enum {
  sync_quiet,
  sync_barrier,
  sync_fence,
  sync_pscw,
  sync_lock,
  sync_lock_all,
  sync_flush_all,
  sync_flush_local,
  sync_flush_local_all
};
// A window has epochs of one kind only: `passive` windows are locked all the time, `locked` windows when needed.
enum { passive, fenced, posted, locked, kinds };

static const char* const operations[] = {"put", "put_nbi", "get", "get_nbi", "fetch_add", "send", NULL};
static const char* const contexts[] = {"default", "private", NULL};
static const char* const synchronisations[] = {
    "quiet", "barrier", "fence", "pscw", "lock", "lock_all", "flush_all", "flush_local", "flush_local_all", NULL};

typedef struct {
  MPI_Win window;
  unsigned char* base;  // a region per side and thread; in a window of one thread, per side
} room;
static room rooms[kinds][1 + most_threads];  // of all threads, then of each thread
static unsigned char* here[most_threads];
static long size_now, slots;
static long got[most_threads][8];     // sums of fetched values in this batch; a line for each thread
static const thread_case* open_case;  // the case whose fence or post is open
static MPI_Group partner_group = MPI_GROUP_NULL;

enum { sums = regions * region_bytes, room_bytes = sums + 4096 };

static int kind_of(const thread_case* c) {
  switch (c->synchronisation) {
    case sync_fence: return fenced;
    case sync_pscw: return posted;
    case sync_lock:
    case sync_lock_all: return locked;
    default: return passive;
  }
}

static room* room_of(const thread_case* c, int thread) {
  return &rooms[kind_of(c)][c->context == ctx_private ? 1 + thread : 0];
}
static int rooms_of(const thread_case* c) { return c->context == ctx_private ? c->threads : 1; }
static MPI_Aint place(int side, int thread, long slot) {
  return (MPI_Aint)(side * most_threads + thread) * region_bytes + slot * (size_now < 64 ? 64 : size_now);
}
static long* sum_of(const thread_case* c, int thread, int side) {
  return (long*)(void*)(room_of(c, thread)->base + sums) + 8 * side;
}

static bool gets(const thread_case* c) { return c->operation == op_get || c->operation == op_get_nbi; }

static bool one_word(const thread_case* c) { return c->operation == op_fetch_add; }

static bool completes_here_alone(const thread_case* c) {
  return c->synchronisation == sync_flush_local || c->synchronisation == sync_flush_local_all;
}

// A thread that sends by itself completes by itself. A target is never locked twice. Fences and posts are for groups.
static bool offers(const thread_case* c) {
  const int sync = c->synchronisation;
  const bool wide = c->pattern == bw || c->pattern == bibw;
  if (c->operation == op_fetch_add && (wide || sync == sync_fence || sync == sync_pscw)) return false;
  if (c->operation == op_send)
    return c->context == ctx_default && sync == sync_quiet && c->pattern != bibw && c->pattern < rate_allstart;
  const bool plain = c->operation == op_put_nbi || c->operation == op_get_nbi;
  const bool narrow = c->pattern == lat || c->pattern == bw;
  if (sync >= sync_flush_all && !(plain && narrow && c->context == ctx_default)) return false;
  const bool at_once = c->operation == op_put || c->operation == op_get;
  const bool by_master = sync == sync_fence || sync == sync_pscw;
  const bool by_thread = sync == sync_lock || sync == sync_lock_all;
  if (by_master && (at_once || c->pattern == lat || c->pattern == rate_halo)) return false;
  if (by_thread && c->context == ctx_default && c->threads > 1) return false;
  return c->pattern != lat || sync != sync_barrier;
}

// Both ends of the slot. The last byte is never zero, because unwritten memory is zero.
static void number_slot(unsigned char* slot, long number) {
  const long end = ~number;
  if (size_now >= 16) memcpy(slot, &number, sizeof number);
  memcpy(slot + size_now - 8, &end, sizeof end);
  if (bench_whole && size_now > 16) pattern_write(slot + 8, (size_t)size_now - 16, number);
}
static bool slot_is(const unsigned char* slot, long number) {
  const long end = ~number;
  if (bench_whole && size_now > 16 && !pattern_is(slot + 8, (size_t)size_now - 16, number)) return false;
  return (size_now < 16 || memcmp(slot, &number, 8) == 0) && memcmp(slot + size_now - 8, &end, 8) == 0;
}

// ---- epochs of all threads together

static void open_epoch(const thread_case* c) {
  for (int r = 0; r < rooms_of(c); ++r) {
    const MPI_Win window = room_of(c, r)->window;
    if (c->synchronisation == sync_fence) MPI_Win_fence(0, window);
    if (c->synchronisation == sync_pscw && threads_senders(c) > 0) MPI_Win_post(partner_group, 0, window);
    if (c->synchronisation == sync_pscw && threads_sends(c)) MPI_Win_start(partner_group, 0, window);
  }
  open_case = c;
}

static void close_epoch(const thread_case* c) {
  for (int r = 0; r < rooms_of(c); ++r) {
    const MPI_Win window = room_of(c, r)->window;
    if (c->synchronisation == sync_fence) MPI_Win_fence(0, window);
    if (c->synchronisation == sync_pscw && threads_sends(c)) MPI_Win_complete(window);
    if (c->synchronisation == sync_pscw && threads_senders(c) > 0) MPI_Win_wait(window);
  }
  open_case = NULL;
}

static bool has_epochs(const thread_case* c) {
  return c->synchronisation == sync_fence || c->synchronisation == sync_pscw;
}

static void fill_room(const thread_case* c, int r) {
  room* const place_of = room_of(c, r);
  memset(place_of->base, 0, room_bytes);
  for (int side = 0; gets(c) && side < 2; ++side)
    for (int t = 0; t < most_threads; ++t)
      for (long s = 0; s < slots; ++s) number_slot(place_of->base + place(side, t, s), s + 1);
  if (kind_of(c) == passive) MPI_Win_sync(place_of->window);
}

static void prepare(const thread_case* c, long size) {
  if (open_case != NULL) close_epoch(open_case);
  size_now = size;
  slots = threads_slots(size);
  if (has_epochs(c) && threads_group > slots) threads_group = slots;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int r = 0; r < rooms_of(c); ++r) fill_room(c, r);
  MPI_Barrier(MPI_COMM_WORLD);
  if (has_epochs(c)) open_epoch(c);
}

// ---- one message

static void put(const share* s, MPI_Win window, long slot) {
  MPI_Put(here[s->thread] + slot * (size_now < 64 ? 64 : size_now), (int)size_now, MPI_BYTE, s->target,
          place(s->side, s->thread, slot), (int)size_now, MPI_BYTE, window);
}
static void get(const share* s, MPI_Win window, long slot) {
  MPI_Get(here[s->thread] + slot * (size_now < 64 ? 64 : size_now), (int)size_now, MPI_BYTE, s->target,
          place(s->side, s->thread, slot), (int)size_now, MPI_BYTE, window);
}

static void fetch_add(const share* s, MPI_Win window, long number) {
  static _Thread_local long old;
  MPI_Fetch_and_op(&number, &old, MPI_LONG, s->target, sums + 64 * (MPI_Aint)s->side, MPI_SUM, window);
  MPI_Win_flush(s->target, window);
}

static void message(const thread_case* c, const share* s, MPI_Win window, long number, long slot) {
  unsigned char* const mine = here[s->thread] + slot * (size_now < 64 ? 64 : size_now);
  if (c->operation == op_put || c->operation == op_put_nbi) number_slot(mine, number);
  switch (c->operation) {
    case op_put:
      put(s, window, slot);
      MPI_Win_flush_local(s->target, window);
      break;
    case op_put_nbi: put(s, window, slot); break;
    case op_get:
      get(s, window, slot);
      MPI_Win_flush(s->target, window);
      break;
    case op_get_nbi: get(s, window, slot); break;
    default: fetch_add(s, window, number);
  }
}

// Checks a get: the number of its slot at both ends. Overwrites the destination for the next get.
static void look(const thread_case* c, const share* s, long slot) {
  if (!gets(c)) return;
  unsigned char* const mine = here[s->thread] + slot * (size_now < 64 ? 64 : size_now);
  got[s->thread][0] += !slot_is(mine, slot + 1);
  memset(mine, 0, bench_whole ? (size_t)size_now : 8);
  memset(mine + size_now - 8, 0, 8);
}

static void begin(const thread_case* c, const share* s, MPI_Win window) {
  if (c->synchronisation == sync_lock) MPI_Win_lock(MPI_LOCK_SHARED, s->target, 0, window);
  if (c->synchronisation == sync_lock_all) MPI_Win_lock_all(0, window);
}

static void end(const thread_case* c, const share* s, MPI_Win window) {
  switch (c->synchronisation) {
    case sync_lock: MPI_Win_unlock(s->target, window); break;
    case sync_lock_all: MPI_Win_unlock_all(window); break;
    case sync_quiet:
    case sync_barrier: MPI_Win_flush(s->target, window); break;
    case sync_flush_all: MPI_Win_flush_all(window); break;
    case sync_flush_local: MPI_Win_flush_local(s->target, window); break;
    case sync_flush_local_all: MPI_Win_flush_local_all(window); break;
    default: break;  // completed by the master
  }
}

// A slot is completed before it is used again. In an epoch, where no flush is allowed, a group has a slot for each
// message.
static void send_one_sided(const thread_case* c, const share* s) {
  const MPI_Win window = room_of(c, s->thread)->window;
  long waiting = 0;  // slots in use since the last completion
  begin(c, s, window);
  for (long number = s->from + 1; number <= s->last; number += s->step) {
    const long index = (number - 1) / s->step, slot = index % slots;
    message(c, s, window, number, slot);
    ++waiting;
    if ((s->each || waiting == slots) && !has_epochs(c)) {
      end(c, s, window);
      for (long k = 0; k < waiting; ++k) look(c, s, (index - k) % slots);
      begin(c, s, window);
      waiting = 0;
    }
  }
  end(c, s, window);
  if (waiting == 0 || has_epochs(c)) return;
  const long last = (s->last - s->from - 1) / s->step * s->step + s->from + 1, index = (last - 1) / s->step;
  for (long k = 0; k < waiting; ++k) look(c, s, (index - k) % slots);
}

static void send_two_sided(const share* s) {
  MPI_Request requests[most_slots];
  for (long k = 0; k < slots; ++k) requests[k] = MPI_REQUEST_NULL;
  for (long number = s->from + 1; number <= s->last; number += s->step) {
    const long slot = (number - 1) / s->step % slots;
    unsigned char* const mine = here[s->thread] + slot * (size_now < 64 ? 64 : size_now);
    MPI_Wait(&requests[slot], MPI_STATUS_IGNORE);
    number_slot(mine, number);
    if (s->each)
      MPI_Ssend(mine, (int)size_now, MPI_BYTE, s->target, s->thread, MPI_COMM_WORLD);
    else
      MPI_Isend(mine, (int)size_now, MPI_BYTE, s->target, s->thread, MPI_COMM_WORLD, &requests[slot]);
  }
  for (long k = 0; k < slots; ++k) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
}

static void send(const thread_case* c, const share* s) {
  if (c->operation == op_send)
    send_two_sided(s);
  else
    send_one_sided(c, s);
}

// ---- the end of a group, by the master of every process

static void receive_group(const thread_case* c, long from, long last) {
  for (long number = from + 1; number <= last; ++number) {
    const int thread = (int)((number - 1) % c->threads);
    const long slot = (number - 1) / c->threads % slots;
    MPI_Recv(room_of(c, 0)->base + place(0, thread, slot), (int)size_now, MPI_BYTE, threads_half_partner(), thread,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void close_group(const thread_case* c, long from, long last, bool sending, int senders) {
  if (sending && completes_here_alone(c)) MPI_Win_flush(threads_half_partner(), room_of(c, 0)->window);
  if (c->operation == op_send && senders > 0) receive_group(c, from, last);
  if (c->synchronisation == sync_barrier) MPI_Barrier(MPI_COMM_WORLD);
  if (!has_epochs(c)) return;
  close_epoch(c);
  if (gets(c) && threads_sends(c))
    for (int t = 0; t < c->threads; ++t) {
      const share s = {.thread = t};
      const long first = threads_own(from, t, c->threads), end_of = threads_own(last, t, c->threads);
      for (long k = first; k < end_of; ++k) look(c, &s, k % slots);
    }
  open_epoch(c);
}

// ---- checks

static bool slots_right(const thread_case* c, long last, int side, int thread) {
  const long own = threads_own(last, thread, c->threads);
  bool ok = true;
  for (long k = 0; k < slots && k < own; ++k) {
    const long index = own - 1 - k, number = index * c->threads + thread + 1;
    ok &= slot_is(room_of(c, thread)->base + place(side, thread, index % slots), number);
  }
  return ok;
}

static bool valid(const thread_case* c, long last, int sides) {
  bool ok = true;
  for (int r = 0; kind_of(c) == passive && r < rooms_of(c); ++r) MPI_Win_sync(room_of(c, r)->window);
  for (int side = 0; side < sides; ++side) {
    long sum = 0;
    for (int r = 0; r < rooms_of(c); ++r) sum += *sum_of(c, r, side);
    if (c->operation == op_fetch_add) ok &= sum == last * (last + 1) / 2;
    for (int t = 0; !gets(c) && c->operation != op_fetch_add && t < c->threads; ++t)
      ok &= slots_right(c, last, side, t);
  }
  return ok;
}

static bool valid_sender(const thread_case* c, long count) {
  long wrong = 0;
  for (int t = 0; t < most_threads; ++t) {
    wrong += got[t][0] != 0;
    got[t][0] = 0;
  }
  return count > 0 && (!gets(c) || wrong == 0);
}

// ---- main

// In some libraries RMA needs calls of the target; in MPICH a probe of MPI_COMM_SELF is not enough.
static void make_progress(void) {
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void open_windows(void) {
  for (int k = 0; k < kinds; ++k)
    for (int r = 0; r <= most_threads; ++r) {
      room* const one = &rooms[k][r];
      MPI_Win_allocate(room_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &one->base, &one->window);
      if (k == passive) MPI_Win_lock_all(MPI_MODE_NOCHECK, one->window);
    }
  for (int t = 0; t < most_threads; ++t)
    if ((here[t] = threads_private()) == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
}

static void close_windows(void) {
  if (open_case != NULL) close_epoch(open_case);
  for (int k = 0; k < kinds; ++k)
    for (int r = 0; r <= most_threads; ++r) {
      if (k == passive) MPI_Win_unlock_all(rooms[k][r].window);
      MPI_Win_free(&rooms[k][r].window);
    }
}

static void find_partner(int me, int size) {
  const int half = size / 2, partner = half == 0 || me >= 2 * half ? me : me < half ? me + half : me - half;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &partner, &partner_group);
  MPI_Group_free(&all);
}

int main(int argc, char** argv) {
  static const thread_backend backend = {operations, contexts, synchronisations, offers, one_word,
                                         prepare,    send,     close_group,      valid,  valid_sender};
  const int wanted = threads_alone() ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;
  int level = 0, me = 0, size = 0;
  MPI_Init_thread(&argc, &argv, wanted, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (level < wanted) {
    if (me == 0) fprintf(stderr, "bench: this library does not give MPI_THREAD_MULTIPLE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  open_windows();
  find_partner(me, size);
  threads_open(&backend);
  const bench_suite suite = {.program = "threads", .progress = make_progress, .tell = tell_by_mpi};
  const long failed = bench_run(&suite, me, size, argc, argv);
  threads_close();
  close_windows();
  MPI_Finalize();
  return failed != 0;
}

// Fault: every third Put of threads is lost.
// Noticed by: mt_lat.put_nbi.default.flush_all.t1, mt_bw.put_nbi.default.flush_local.t2,
//   mt_bw.put_nbi.default.flush_local_all.t1
#ifdef BENCH_FAULT
int MPI_Put(const void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w) {
  static int k;
  if (__atomic_add_fetch(&k, 1, __ATOMIC_RELAXED) % 3 == 0) return MPI_SUCCESS;
  return PMPI_Put(o, n, t, r, at, m, u, w);
}
#endif
