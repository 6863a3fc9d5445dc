// MPI's initialisation and end, its requests, and the processes of communicators and windows.
#include "mpi_support.h"

#include <string.h>

#define VISIT const struct oshprof_visit visit = oshprof_enter(__builtin_return_address(0))
#define DONE(name, moved)                                       \
  static const struct oshprof_call call = {name, oshprof_wait}; \
  oshprof_leave(&visit, &call, moved)
static const struct oshprof_traffic nothing = {0, 0, 0, 0, 0, -1};

// ---- initialisation and end

static int begun, ended;

void oshprof_mpi_begin(void) {
  if (!begun++) oshprof_start("mpi", mpi_rank(mpi_world()), (int)mpi_ranks(mpi_world()));
}

void oshprof_mpi_end(void) {
  if (!ended++) oshprof_stop();
}

int MPI_Init(int* argc, char*** argv) {
  MPI_FIND(next, MPI_Init);
  const int result = next(argc, argv);
  oshprof_mpi_begin();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  MPI_FIND(next, MPI_Init_thread);
  const int result = next(argc, argv, required, provided);
  oshprof_mpi_begin();
  return result;
}

int MPI_Finalize(void) {
  MPI_FIND(next, MPI_Finalize);
  oshprof_mpi_end();
  return next();
}

// ---- processes of communicators and windows

static void take_group(MPI_Group group, int* n, int** processes) {
  static MPI_Group world_group;
  static int found;
  if (!found) {
    MPI_FIND(next, MPI_Comm_group);
    next(mpi_world(), &world_group);
    found = 1;
  }
  MPI_FIND(next, MPI_Group_size);
  next(group, n);
  *processes = malloc(2 * sizeof(int) * (size_t)(*n + 1));
  int* there = *processes + *n;
  for (int i = 0; i < *n; ++i) there[i] = i;
  {
    MPI_FIND(next, MPI_Group_translate_ranks);
    next(group, *n, there, world_group, *processes);
  }
  {
    MPI_FIND(next, MPI_Group_free);
    next(&group);
  }
}

// The groups of communicators and windows that were needed, by handle, until the handle is freed.
static struct known_group {
  uint64_t handle;
  int n;
  int* processes;
  uint64_t members;  // a hash: equal for the same processes in the same order
  struct known_group* next;
}* groups;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Call it under the mutex.
static const struct known_group* find_group(uint64_t handle, MPI_Group (*group)(uint64_t)) {
  struct known_group* one = groups;
  while (one != NULL && one->handle != handle) one = one->next;
  if (one == NULL) {
    one = malloc(sizeof *one);
    one->handle = handle;
    take_group(group(handle), &one->n, &one->processes);
    one->members = mpi_shape(one->processes, (uint64_t)one->n);
    one->next = groups;
    groups = one;
  }
  return one;
}

static int look_up(uint64_t handle, MPI_Group (*group)(uint64_t), int there) {
  if (there < 0) return -1;
  pthread_mutex_lock(&mutex);
  const struct known_group* one = find_group(handle, group);
  const int process = there < one->n ? one->processes[there] : -1;
  pthread_mutex_unlock(&mutex);
  return process;
}

static void forget_group(uint64_t handle) {
  pthread_mutex_lock(&mutex);
  struct known_group** one = &groups;
  while (*one != NULL && (*one)->handle != handle) one = &(*one)->next;
  if (*one != NULL) {
    struct known_group* gone = *one;
    *one = gone->next;
    free(gone->processes);
    free(gone);
  }
  pthread_mutex_unlock(&mutex);
}

// In MPICH, handles are integers, and those of communicators and windows differ.
static uint64_t key_of_comm(MPI_Comm comm) { return (uint64_t)(intptr_t)comm; }
static uint64_t key_of_win(MPI_Win win) { return (uint64_t)(intptr_t)win; }

static MPI_Group group_of_comm(uint64_t key) {
  MPI_FIND(next, MPI_Comm_group);
  MPI_Group group;
  next((MPI_Comm)(intptr_t)key, &group);
  return group;
}

static MPI_Group group_of_win(uint64_t key) {
  MPI_FIND(next, MPI_Win_get_group);
  MPI_Group group;
  next((MPI_Win)(intptr_t)key, &group);
  return group;
}

int mpi_process_of_comm(MPI_Comm comm, int there) {
  MPI_FIND(next, MPI_Comm_test_inter);
  if (comm == mpi_world()) return there >= 0 ? there : -1;
  int inter = 0;
  if (there < 0 || next(comm, &inter) != MPI_SUCCESS || inter) return -1;
  return look_up(key_of_comm(comm), group_of_comm, there);
}

uint64_t mpi_envelope(MPI_Comm comm, int tag) {
  if (comm == mpi_world()) return oshprof_mix(1, (uint64_t)tag);
  pthread_mutex_lock(&mutex);
  const uint64_t members = find_group(key_of_comm(comm), group_of_comm)->members;
  pthread_mutex_unlock(&mutex);
  return oshprof_mix(members, (uint64_t)tag);
}

// Not between groups, where ranks do not identify processes.
void mpi_message_sent(const struct oshprof_visit* visit, MPI_Comm comm, int dest, int tag) {
  if (!oshprof_draws_timeline || !visit->outermost || dest == MPI_PROC_NULL) return;
  const int process = mpi_process_of_comm(comm, dest);
  if (process >= 0) oshprof_message_sent(visit->began, process, mpi_envelope(comm, tag));
}

static void receive_message(MPI_Comm comm, const MPI_Status* status, uint64_t order) {
  if (status->MPI_SOURCE == MPI_PROC_NULL) return;
  const int process = mpi_process_of_comm(comm, status->MPI_SOURCE);
  if (process >= 0) oshprof_message_received(process, mpi_envelope(comm, status->MPI_TAG), order);
}

void mpi_message_received(const struct oshprof_visit* visit, MPI_Comm comm, const MPI_Status* status) {
  if (oshprof_draws_timeline && visit->outermost) receive_message(comm, status, 0);
}

int mpi_process_of_win(MPI_Win win, int there) { return look_up(key_of_win(win), group_of_win, there); }

static void forget_communicator(MPI_Comm comm) {
  forget_group(key_of_comm(comm));
  if (oshprof_draws_timeline) oshprof_communicator_freed(key_of_comm(comm));
}

int MPI_Comm_free(MPI_Comm* comm) {
  MPI_FIND(next, MPI_Comm_free);
  forget_communicator(*comm);
  return next(comm);
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  MPI_FIND(next, MPI_Comm_disconnect);
  forget_communicator(*comm);
  return next(comm);
}

int MPI_Win_free(MPI_Win* win) {
  MPI_FIND(next, MPI_Win_free);
  forget_group(key_of_win(*win));
  return next(win);
}

static int cart_neighbours(MPI_Comm comm) {
  MPI_FIND(next, MPI_Cartdim_get);
  int dimensions = 0;
  next(comm, &dimensions);
  return 2 * dimensions;
}

static int graph_neighbours(MPI_Comm comm) {
  MPI_FIND(next, MPI_Graph_neighbors_count);
  int n = 0;
  next(comm, mpi_rank(comm), &n);
  return n;
}

static int dist_graph_neighbours(MPI_Comm comm) {
  MPI_FIND(next, MPI_Dist_graph_neighbors_count);
  int sources = 0, n = 0, weighted = 0;
  next(comm, &sources, &n, &weighted);
  return n;
}

uint64_t mpi_targets(MPI_Comm comm) {
  MPI_FIND(next, MPI_Topo_test);
  int kind = MPI_UNDEFINED;
  next(comm, &kind);
  return (uint64_t)(kind == MPI_CART         ? cart_neighbours(comm)
                    : kind == MPI_GRAPH      ? graph_neighbours(comm)
                    : kind == MPI_DIST_GRAPH ? dist_graph_neighbours(comm)
                                             : 0);
}

// ---- requests

int64_t mpi_received_bytes(const MPI_Status* status) {
  {
    MPI_FIND(next, MPI_Test_cancelled);
    int cancelled = 0;
    next(status, &cancelled);
    if (cancelled) return -1;
  }
  MPI_FIND(next, MPI_Get_elements_x);
  MPI_Count bytes = 0;
#ifdef OPEN_MPI  // Open MPI's constants are variables of its library
  const MPI_Datatype byte = (MPI_Datatype)oshen_library_variable("ompi_mpi_byte");
#else
  const MPI_Datatype byte = MPI_BYTE;
#endif
  return next(status, byte, &bytes) == MPI_SUCCESS && bytes > 0 ? (int64_t)bytes : 0;
}

static void complete_request(uint64_t request, const MPI_Status* status) {
  const int64_t bytes = status->MPI_SOURCE == MPI_PROC_NULL ? -1 : mpi_received_bytes(status);
  uint64_t order = 0;
  const uint64_t comm = oshprof_draws_timeline && bytes >= 0 ? oshprof_request_origin(request, &order) : 0;
  if (comm != 0) receive_message((MPI_Comm)(intptr_t)comm, status, order);
  oshprof_request_completed(request, bytes);
}

// A completed request changes its handle, and the caller may ignore statuses, so copies are needed. A few fit on the
// stack.
enum { few = 64 };
struct saved_requests {
  uint64_t few_handles[few], *handles;
  MPI_Status few_statuses[few], *statuses, *own;
};

static void save_requests(struct saved_requests* w, int n, const MPI_Request* requests, MPI_Status* wanted) {
  const size_t room = n > 0 ? (size_t)n : 1;
  w->handles = n <= few ? w->few_handles : malloc(room * sizeof *w->handles);
  for (int i = 0; i < n; ++i) w->handles[i] = mpi_handle(requests[i]);
  w->own = wanted != MPI_STATUSES_IGNORE ? NULL : n <= few ? w->few_statuses : malloc(room * sizeof *w->own);
  w->statuses = w->own != NULL ? w->own : wanted;
}

static void release_requests(struct saved_requests* w) {
  if (w->handles != w->few_handles) free(w->handles);
  if (w->own != w->few_statuses) free(w->own);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  MPI_FIND(next, MPI_Wait);
  MPI_Status own;
  MPI_Status* used_status = status == MPI_STATUS_IGNORE ? &own : status;
  const uint64_t before = mpi_handle(*request);
  VISIT;
  const int result = next(request, used_status);
  if (result == MPI_SUCCESS) complete_request(before, used_status);
  DONE("MPI_Wait", nothing);
  return result;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  MPI_FIND(next, MPI_Test);
  MPI_Status own;
  MPI_Status* used_status = status == MPI_STATUS_IGNORE ? &own : status;
  const uint64_t before = mpi_handle(*request);
  VISIT;
  const int result = next(request, flag, used_status);
  if (result == MPI_SUCCESS && *flag) complete_request(before, used_status);
  DONE("MPI_Test", nothing);
  return result;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  MPI_FIND(next, MPI_Waitall);
  struct saved_requests w;
  save_requests(&w, count, requests, statuses);
  VISIT;
  const int result = next(count, requests, w.statuses);
  for (int i = 0; result == MPI_SUCCESS && i < count; ++i) complete_request(w.handles[i], &w.statuses[i]);
  DONE("MPI_Waitall", nothing);
  release_requests(&w);
  return result;
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  MPI_FIND(next, MPI_Testall);
  struct saved_requests w;
  save_requests(&w, count, requests, statuses);
  VISIT;
  const int result = next(count, requests, flag, w.statuses);
  for (int i = 0; result == MPI_SUCCESS && *flag && i < count; ++i) complete_request(w.handles[i], &w.statuses[i]);
  DONE("MPI_Testall", nothing);
  release_requests(&w);
  return result;
}

int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  MPI_FIND(next, MPI_Waitany);
  struct saved_requests w;
  MPI_Status own;
  MPI_Status* used_status = status == MPI_STATUS_IGNORE ? &own : status;
  save_requests(&w, count, requests, used_status);
  VISIT;
  const int result = next(count, requests, index, used_status);
  if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) complete_request(w.handles[*index], used_status);
  DONE("MPI_Waitany", nothing);
  release_requests(&w);
  return result;
}

int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  MPI_FIND(next, MPI_Testany);
  struct saved_requests w;
  MPI_Status own;
  MPI_Status* used_status = status == MPI_STATUS_IGNORE ? &own : status;
  save_requests(&w, count, requests, used_status);
  VISIT;
  const int result = next(count, requests, index, flag, used_status);
  if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) complete_request(w.handles[*index], used_status);
  DONE("MPI_Testany", nothing);
  release_requests(&w);
  return result;
}

static void complete_some(const struct saved_requests* w, int n, const int* indices) {
  for (int i = 0; n != MPI_UNDEFINED && i < n; ++i) complete_request(w->handles[indices[i]], &w->statuses[i]);
}

int MPI_Waitsome(int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses) {
  MPI_FIND(next, MPI_Waitsome);
  struct saved_requests w;
  save_requests(&w, count, requests, statuses);
  VISIT;
  const int result = next(count, requests, n, indices, w.statuses);
  if (result == MPI_SUCCESS) complete_some(&w, *n, indices);
  DONE("MPI_Waitsome", nothing);
  release_requests(&w);
  return result;
}

int MPI_Testsome(int count, MPI_Request* requests, int* n, int* indices, MPI_Status* statuses) {
  MPI_FIND(next, MPI_Testsome);
  struct saved_requests w;
  save_requests(&w, count, requests, statuses);
  VISIT;
  const int result = next(count, requests, n, indices, w.statuses);
  if (result == MPI_SUCCESS) complete_some(&w, *n, indices);
  DONE("MPI_Testsome", nothing);
  release_requests(&w);
  return result;
}

int MPI_Request_free(MPI_Request* request) {
  MPI_FIND(next, MPI_Request_free);
  oshprof_request_freed(mpi_handle(*request));
  return next(request);
}

// ---- persistent requests

int MPI_Start(MPI_Request* request) {
  MPI_FIND(next, MPI_Start);
  static const struct oshprof_call call = {"MPI_Start", oshprof_send};
  VISIT;
  const int result = next(request);
  oshprof_leave(&visit, &call, oshprof_request_started(mpi_handle(*request), &call, &visit));
  return result;
}

int MPI_Startall(int count, MPI_Request* requests) {
  MPI_FIND(next, MPI_Startall);
  static const struct oshprof_call call = {"MPI_Startall", oshprof_send};
  VISIT;
  const int result = next(count, requests);
  struct oshprof_traffic moved = nothing;
  for (int i = 0; i < count; ++i)
    moved = mpi_plus(moved, oshprof_request_started(mpi_handle(requests[i]), &call, &visit));
  oshprof_leave(&visit, &call, moved);
  return result;
}
