/* The same in MPI: puts and gets in a window under lock_all, each with a flush; messages by Send and Recv. */
#include <mpi.h>
#include <string.h>

#include "cases.h"

static int me, far;
static char *source, *target;
static MPI_Win window, counters;
static long* counter;

static void put(size_t bytes, long number) {
  stamp(source, bytes, number);
  MPI_Put(source, (int)bytes, MPI_BYTE, far, 0, (int)bytes, MPI_BYTE, window);
  MPI_Win_flush(far, window);
}
static void get(size_t bytes, long number) {
  stamp(source, bytes, -number);  // what the last get brought is gone
  MPI_Get(source, (int)bytes, MPI_BYTE, far, 0, (int)bytes, MPI_BYTE, window);
  MPI_Win_flush(far, window);
}
static long fetch_add(void) {
  static long one = 1, before;
  MPI_Fetch_and_op(&one, &before, MPI_LONG, far, 0, MPI_SUM, counters);
  MPI_Win_flush(far, counters);
  return before;
}

static void barrier(size_t bytes, long number) {
  (void)bytes, (void)number;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void broadcast(size_t bytes, long number) {
  (void)number;
  MPI_Bcast(me == 0 ? source : target, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
static void sum(size_t bytes, long number) {
  (void)number;
  MPI_Allreduce(source, target, (int)(bytes / sizeof(long)), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}
static void fcollect(size_t bytes, long number) {
  (void)number;
  MPI_Allgather(source, (int)bytes, MPI_BYTE, target, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(size_t bytes, long number) {
  (void)number;
  MPI_Alltoall(source, (int)bytes, MPI_BYTE, target, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

// Messages.
static int partner;
static void send_message(size_t bytes, long number) {
  stamp(source, bytes, number);
  MPI_Send(source, (int)bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
}
static void receive_message(size_t bytes) {
  MPI_Recv(target, (int)bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static const message_form forms[] = {{"pp_two_sided", send_message, receive_message}};

static void meet(void) {
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
}

static long counted(void) {
  long seen = 0;
  MPI_Fetch_and_op(NULL, &seen, MPI_LONG, far, 0, MPI_NO_OP, counters);
  MPI_Win_flush(far, counters);
  return seen;
}

int main(int argc, char** argv) {
  is_quick = is_given(argc, argv, "quick");
  const int only_messages = is_given(argc, argv, "messages");
  int n_ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  far = n_ranks / 2;
  partner = (me + n_ranks / 2) % n_ranks;
  const MPI_Aint room = (MPI_Aint)room_for(n_ranks);
  source = malloc((size_t)room);
  MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &target, &window);
  MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &counters);
  *counter = first_count;
  MPI_Win_lock_all(0, window);
  MPI_Win_lock_all(0, counters);
  const int status =
      measure_all(&(world){me,   n_ranks, source,    target, put,      get,      meet,   fetch_add, counted,      NULL,
                           NULL, barrier, broadcast, sum,    fcollect, alltoall, source, forms,     COUNT(forms), NULL},
                  only_messages);
  MPI_Win_unlock_all(counters);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&counters);
  MPI_Win_free(&window);
  MPI_Finalize();
  return status;
}

// ---- Faults (see engine.h), in MPI_* routines over their PMPI_* twins

// Fault: a put drops its middle from the second of its length on.
// Noticed by: put
#ifdef BENCH_FAULT
static int last;
int MPI_Put(const void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w) {
  if (n < 24 || n != last) return last = n, PMPI_Put(o, n, t, r, at, m, u, w);
  PMPI_Put(o, 8, t, r, at, 8, u, w);
  return PMPI_Put((const char*)o + n - 8, 8, t, r, at + n - 8, 8, u, w);
}
#endif

// Fault: a put leaves out the highest byte of a long.
// Noticed by: put, put_computing
#ifdef BENCH_FAULT
int MPI_Put(const void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w) {
  const int bytes = n == 8 ? 7 : n;
  return PMPI_Put(o, bytes, t, r, at, bytes, u, w);
}
#endif

// Fault: a get is stale from the second of its length on.
// Noticed by: get
#ifdef BENCH_FAULT
#include <stdlib.h>
static void* kept;
static int kept_bytes;
int MPI_Get(void* o, int n, MPI_Datatype t, int r, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w) {
  if (n != kept_bytes) {
    PMPI_Get(o, n, t, r, at, m, u, w);
    PMPI_Win_flush(r, w);
    kept = memcpy(realloc(kept, n), o, n);
  }
  memcpy(o, kept, kept_bytes = n);
  return MPI_SUCCESS;
}
#endif

// Fault: a message brings the data of the message before it.
// Noticed by: pp_two_sided
#ifdef BENCH_FAULT
#include <stdlib.h>
static void* kept;
static int kept_bytes;
int MPI_Send(const void* s, int n, MPI_Datatype t, int r, int tag, MPI_Comm c) {
  void* const now = memcpy(malloc((size_t)n), s, (size_t)n);
  const int status = PMPI_Send(n == kept_bytes ? kept : s, n, t, r, tag, c);
  free(kept);
  kept = now;
  kept_bytes = n;
  return status;
}
#endif

// Fault: a message leaves out the highest byte of a long.
// Noticed by: pp_two_sided
#ifdef BENCH_FAULT
int MPI_Send(const void* s, int n, MPI_Datatype t, int r, int tag, MPI_Comm c) {
  return PMPI_Send(s, n == 8 ? 7 : n, t, r, tag, c);
}
#endif

// Fault: Fetch_and_op also adds to the upper half of a long.
// Noticed by: fetch_add
#ifdef BENCH_FAULT
int MPI_Fetch_and_op(const void* o, void* d, MPI_Datatype t, int r, MPI_Aint at, MPI_Op op, MPI_Win w) {
  const long more = op == MPI_SUM ? (1l << 32) + 1 : 0;
  PMPI_Fetch_and_op(op == MPI_SUM ? &more : o, d, t, r, at, op, w);
  return PMPI_Win_flush(r, w);
}
#endif

// Fault: collectives write their first element only.
// Noticed by: broadcast, sum, fcollect, alltoall
#ifdef BENCH_FAULT
#include <stdlib.h>
static char* before;
static void* keep(const void* d, size_t n) { return before = memcpy(realloc(before, n), d, n); }
static int restore(void* d, size_t n, int status) { return memcpy((char*)d + 8, before + 8, n - 8), status; }
int MPI_Bcast(void* d, int n, MPI_Datatype t, int root, MPI_Comm c) {
  keep(d, n);
  return restore(d, n, PMPI_Bcast(d, n, t, root, c));
}
int MPI_Allreduce(const void* s, void* d, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
  keep(d, 8 * n);
  return restore(d, 8 * n, PMPI_Allreduce(s, d, n, t, o, c));
}
int MPI_Allgather(const void* s, int n, MPI_Datatype t, void* d, int m, MPI_Datatype u, MPI_Comm c) {
  keep(d, 2 * n);
  return restore(d, 2 * n, PMPI_Allgather(s, n, t, d, m, u, c));
}
int MPI_Alltoall(const void* s, int n, MPI_Datatype t, void* d, int m, MPI_Datatype u, MPI_Comm c) {
  keep(d, 2 * n);
  return restore(d, 2 * n, PMPI_Alltoall(s, n, t, d, m, u, c));
}
#endif

// Fault: blocks are swapped.
// Noticed by: fcollect, alltoall
#ifdef BENCH_FAULT
static int swap(char* d, size_t n, int status) {
  for (size_t at = 0; at < n; ++at) {
    const char byte = d[at];
    d[at] = d[n + at];
    d[n + at] = byte;
  }
  return status;
}
int MPI_Allgather(const void* s, int n, MPI_Datatype t, void* d, int m, MPI_Datatype u, MPI_Comm c) {
  return swap(d, n, PMPI_Allgather(s, n, t, d, m, u, c));
}
int MPI_Alltoall(const void* s, int n, MPI_Datatype t, void* d, int m, MPI_Datatype u, MPI_Comm c) {
  return swap(d, n, PMPI_Alltoall(s, n, t, d, m, u, c));
}
#endif
