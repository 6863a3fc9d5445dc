// All data movement that oshprof distinguishes, with counts that can be derived by hand (oshprof_counts.py): sends,
// receives shorter than posted, persistent requests, probed messages, neighbours, RMA, reductions, and communicators
// in another order.
#include <mpi.h>
#include <stdio.h>

enum { rounds = 10, sent = 100, posted = 1000 };

static double out[posted], in[2][posted];
static int me, n, right, left;

// 100 doubles in each direction; the receives have room for 1000.
__attribute__((noinline)) void isend_irecv(void) {
  MPI_Request requests[4];
  MPI_Irecv(in[0], posted, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in[1], posted, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, sent, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out, sent, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
  for (int i = 0, which; i < 4; ++i) MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) void persistent(void) {
  MPI_Request requests[2];
  MPI_Recv_init(in[0], posted, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, sent, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < rounds; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

__attribute__((noinline)) void probed(void) {
  MPI_Request request;
  MPI_Message message;
  MPI_Isend(out, sent, MPI_DOUBLE, right, 4, MPI_COMM_WORLD, &request);
  MPI_Mprobe(left, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in[0], posted, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// To both neighbours in a communicator of the opposite order, received from any source.
__attribute__((noinline)) void any_source(MPI_Comm opposite) {
  MPI_Request requests[4];
  int here;
  MPI_Comm_rank(opposite, &here);
  for (int i = 0; i < 2; ++i) MPI_Irecv(in[i], posted, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, opposite, &requests[i]);
  MPI_Isend(out, sent, MPI_DOUBLE, (here + 1) % n, 6, opposite, &requests[2]);
  MPI_Isend(out, sent, MPI_DOUBLE, (here + n - 1) % n, 7, opposite, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(opposite);  // separates the messages of the next round
}

// A row of processes: those at the ends send to MPI_PROC_NULL.
__attribute__((noinline)) void row(void) {
  MPI_Sendrecv(out, sent, MPI_DOUBLE, me + 1 < n ? me + 1 : MPI_PROC_NULL, 5, in[0], posted, MPI_DOUBLE,
               me > 0 ? me - 1 : MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A ring as a topology has two neighbours.
__attribute__((noinline)) void neighbours(MPI_Comm ring) {
  const int counts[2] = {sent, 2 * sent}, at[2] = {0, 300}, from[2] = {2 * sent, sent};
  MPI_Request request;
  MPI_Neighbor_alltoall(out, sent, MPI_DOUBLE, in[0], sent, MPI_DOUBLE, ring);
  MPI_Ineighbor_alltoallv(out, counts, at, MPI_DOUBLE, in[0], from, at, MPI_DOUBLE, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) void one_sided(MPI_Win window) {
  MPI_Win_lock_all(0, window);
  MPI_Put(out, sent, MPI_DOUBLE, right, 0, sent, MPI_DOUBLE, window);
  MPI_Win_flush(right, window);
  MPI_Get(in[0], 2 * sent, MPI_DOUBLE, left, 200, 2 * sent, MPI_DOUBLE, window);
  MPI_Win_unlock_all(window);
}

__attribute__((noinline)) void collectives(void) {
  MPI_Datatype types[16];
  int counts[16], at[16];
  for (int i = 0; i < n; ++i) {
    types[i] = MPI_DOUBLE;
    counts[i] = sent;
    at[i] = 8 * sent * i;
  }
  MPI_Bcast(out, sent, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Alltoallw(out, counts, at, types, in[0], counts, at, types, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, out, sent, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int periodic = 1;
  MPI_Comm ring, opposite;
  MPI_Win window;
  static double shared[posted];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  right = (me + 1) % n;
  left = (me + n - 1) % n;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &ring);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &opposite);
  MPI_Win_create(shared, sizeof shared, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int i = 0; i < rounds; ++i) isend_irecv();
  persistent();
  for (int i = 0; i < rounds; ++i) {
    probed();
    any_source(opposite);
    row();
    neighbours(ring);
    one_sided(window);
    collectives();
  }
  MPI_Win_free(&window);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&opposite);
  MPI_Finalize();
  return 0;
}
