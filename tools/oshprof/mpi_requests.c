// MPI's beginning and end, its requests, and who is who in a communicator or window.
#include "mpi_support.h"

#include <string.h>

#define VISIT const struct oshprof_visit visit = oshprof_enter(__builtin_return_address(0))
#define DONE(name, moved) \
  static const struct oshprof_call call = {name, oshprof_wait}; \
  oshprof_leave(&visit, &call, moved)
static const struct oshprof_traffic nothing = {0, 0, 0, 0, 0, -1};

// ---- beginning and end

static int begun, ended;

void oshprof_mpi_begin(void) {
  if (!begun++) oshprof_start("mpi", rank(world()), (int)ranks(world()));
}

void oshprof_mpi_end(void) {
  if (!ended++) oshprof_stop();
}

int MPI_Init(int *argc, char ***argv) {
  LIBRARYS(MPI_Init);
  const int result = next(argc, argv);
  oshprof_mpi_begin();
  return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  LIBRARYS(MPI_Init_thread);
  const int result = next(argc, argv, required, provided);
  oshprof_mpi_begin();
  return result;
}

int MPI_Finalize(void) {
  LIBRARYS(MPI_Finalize);
  oshprof_mpi_end();
  return next();
}

// ---- who is who

static void take_group(MPI_Group group, int *n, int **processes) {
  static MPI_Group everybody;
  static int known;
  if (!known) {
    LIBRARYS(MPI_Comm_group);
    next(world(), &everybody);
    known = 1;
  }
  LIBRARYS(MPI_Group_size);
  next(group, n);
  *processes = malloc(2 * sizeof(int) * (size_t)(*n + 1));
  int *there = *processes + *n;
  for (int i = 0; i < *n; ++i) there[i] = i;
  {
    LIBRARYS(MPI_Group_translate_ranks);
    next(group, *n, there, everybody, *processes);
  }
  {
    LIBRARYS(MPI_Group_free);
    next(&group);
  }
}

// Groups that were asked for, by handle, until the handle ends.
static struct known {
  uint64_t handle;
  int n;
  int *processes;
  uint64_t members;  // equal for the same processes in the same order
  struct known *next;
} *book;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// Under the mutex.
static const struct known *find_group(uint64_t handle, MPI_Group (*group)(uint64_t)) {
  struct known *one = book;
  while (one != NULL && one->handle != handle) one = one->next;
  if (one == NULL) {
    one = malloc(sizeof *one);
    one->handle = handle;
    take_group(group(handle), &one->n, &one->processes);
    one->members = shape(one->processes, (uint64_t)one->n);
    one->next = book;
    book = one;
  }
  return one;
}

static int look_up(uint64_t handle, MPI_Group (*group)(uint64_t), int there) {
  if (there < 0) return -1;
  pthread_mutex_lock(&mutex);
  const struct known *one = find_group(handle, group);
  const int process = there < one->n ? one->processes[there] : -1;
  pthread_mutex_unlock(&mutex);
  return process;
}

static void forget(uint64_t handle) {
  pthread_mutex_lock(&mutex);
  struct known **one = &book;
  while (*one != NULL && (*one)->handle != handle) one = &(*one)->next;
  if (*one != NULL) {
    struct known *gone = *one;
    *one = gone->next;
    free(gone->processes);
    free(gone);
  }
  pthread_mutex_unlock(&mutex);
}

// Handles are numbers in MPICH, which are the same for no communicator and window.
static uint64_t key_of_comm(MPI_Comm comm) { return (uint64_t)(intptr_t)comm; }
static uint64_t key_of_win(MPI_Win win) { return (uint64_t)(intptr_t)win; }

static MPI_Group group_of_comm(uint64_t key) {
  LIBRARYS(MPI_Comm_group);
  MPI_Group group;
  next((MPI_Comm)(intptr_t)key, &group);
  return group;
}

static MPI_Group group_of_win(uint64_t key) {
  LIBRARYS(MPI_Win_get_group);
  MPI_Group group;
  next((MPI_Win)(intptr_t)key, &group);
  return group;
}

int process_of_comm(MPI_Comm comm, int there) {
  LIBRARYS(MPI_Comm_test_inter);
  if (comm == world()) return there >= 0 ? there : -1;
  int inter = 0;
  if (there < 0 || next(comm, &inter) != MPI_SUCCESS || inter) return -1;
  return look_up(key_of_comm(comm), group_of_comm, there);
}

uint64_t envelope_of(MPI_Comm comm, int tag) {
  if (comm == world()) return oshprof_mix(1, (uint64_t)tag);
  pthread_mutex_lock(&mutex);
  const uint64_t members = find_group(key_of_comm(comm), group_of_comm)->members;
  pthread_mutex_unlock(&mutex);
  return oshprof_mix(members, (uint64_t)tag);
}

// Where processes have numbers: not between groups.
void message_left(const struct oshprof_visit *visit, MPI_Comm comm, int dest, int tag) {
  if (!oshprof_draws || !visit->outermost || dest == MPI_PROC_NULL) return;
  const int process = process_of_comm(comm, dest);
  if (process >= 0) oshprof_left(visit->began, process, envelope_of(comm, tag));
}

static void came(MPI_Comm comm, const MPI_Status *status, uint64_t order) {
  if (status->MPI_SOURCE == MPI_PROC_NULL) return;
  const int process = process_of_comm(comm, status->MPI_SOURCE);
  if (process >= 0) oshprof_came(process, envelope_of(comm, status->MPI_TAG), order);
}

void message_came(const struct oshprof_visit *visit, MPI_Comm comm, const MPI_Status *status) {
  if (oshprof_draws && visit->outermost) came(comm, status, 0);
}

int process_of_win(MPI_Win win, int there) { return look_up(key_of_win(win), group_of_win, there); }

static void forget_comm(MPI_Comm comm) {
  forget(key_of_comm(comm));
  if (oshprof_draws) oshprof_communicator_over(key_of_comm(comm));
}

int MPI_Comm_free(MPI_Comm *comm) {
  LIBRARYS(MPI_Comm_free);
  forget_comm(*comm);
  return next(comm);
}

int MPI_Comm_disconnect(MPI_Comm *comm) {
  LIBRARYS(MPI_Comm_disconnect);
  forget_comm(*comm);
  return next(comm);
}

int MPI_Win_free(MPI_Win *win) {
  LIBRARYS(MPI_Win_free);
  forget(key_of_win(*win));
  return next(win);
}

static int cart_neighbours(MPI_Comm comm) {
  LIBRARYS(MPI_Cartdim_get);
  int dimensions = 0;
  next(comm, &dimensions);
  return 2 * dimensions;
}

static int graph_neighbours(MPI_Comm comm) {
  LIBRARYS(MPI_Graph_neighbors_count);
  int n = 0;
  next(comm, rank(comm), &n);
  return n;
}

static int dist_graph_neighbours(MPI_Comm comm) {
  LIBRARYS(MPI_Dist_graph_neighbors_count);
  int sources = 0, n = 0, weighted = 0;
  next(comm, &sources, &n, &weighted);
  return n;
}

uint64_t targets(MPI_Comm comm) {
  LIBRARYS(MPI_Topo_test);
  int kind = MPI_UNDEFINED;
  next(comm, &kind);
  return (uint64_t)(kind == MPI_CART         ? cart_neighbours(comm)
                    : kind == MPI_GRAPH      ? graph_neighbours(comm)
                    : kind == MPI_DIST_GRAPH ? dist_graph_neighbours(comm)
                                             : 0);
}

// ---- requests

int64_t bytes_of(const MPI_Status *status) {
  {
    LIBRARYS(MPI_Test_cancelled);
    int cancelled = 0;
    next(status, &cancelled);
    if (cancelled) return -1;
  }
  LIBRARYS(MPI_Get_elements_x);
  MPI_Count bytes = 0;
#ifdef OPEN_MPI  // whose constants are variables of its library
  const MPI_Datatype byte = (MPI_Datatype)oshprof_variable("ompi_mpi_byte");
#else
  const MPI_Datatype byte = MPI_BYTE;
#endif
  return next(status, byte, &bytes) == MPI_SUCCESS && bytes > 0 ? (int64_t)bytes : 0;
}

static void over(uint64_t request, const MPI_Status *status) {
  const int64_t bytes = status->MPI_SOURCE == MPI_PROC_NULL ? -1 : bytes_of(status);
  uint64_t order = 0;
  const uint64_t comm = oshprof_draws && bytes >= 0 ? oshprof_expected(request, &order) : 0;
  if (comm != 0) came((MPI_Comm)(intptr_t)comm, status, order);
  oshprof_over(request, bytes);
}

// Handles change when requests are over; statuses may not be wanted. A few need no memory.
enum { few = 64 };
struct watched {
  uint64_t few_handles[few], *handles;
  MPI_Status few_statuses[few], *statuses, *own;
};

static void watch(struct watched *w, int n, const MPI_Request *requests, MPI_Status *wanted) {
  const size_t room = n > 0 ? (size_t)n : 1;
  w->handles = n <= few ? w->few_handles : malloc(room * sizeof *w->handles);
  for (int i = 0; i < n; ++i) w->handles[i] = handle(requests[i]);
  w->own = wanted != MPI_STATUSES_IGNORE ? NULL : n <= few ? w->few_statuses : malloc(room * sizeof *w->own);
  w->statuses = w->own != NULL ? w->own : wanted;
}

static void unwatch(struct watched *w) {
  if (w->handles != w->few_handles) free(w->handles);
  if (w->own != w->few_statuses) free(w->own);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  LIBRARYS(MPI_Wait);
  MPI_Status own;
  MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
  const uint64_t before = handle(*request);
  VISIT;
  const int result = next(request, told);
  if (result == MPI_SUCCESS) over(before, told);
  DONE("MPI_Wait", nothing);
  return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  LIBRARYS(MPI_Test);
  MPI_Status own;
  MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
  const uint64_t before = handle(*request);
  VISIT;
  const int result = next(request, flag, told);
  if (result == MPI_SUCCESS && *flag) over(before, told);
  DONE("MPI_Test", nothing);
  return result;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  LIBRARYS(MPI_Waitall);
  struct watched w;
  watch(&w, count, requests, statuses);
  VISIT;
  const int result = next(count, requests, w.statuses);
  for (int i = 0; result == MPI_SUCCESS && i < count; ++i) over(w.handles[i], &w.statuses[i]);
  DONE("MPI_Waitall", nothing);
  unwatch(&w);
  return result;
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  LIBRARYS(MPI_Testall);
  struct watched w;
  watch(&w, count, requests, statuses);
  VISIT;
  const int result = next(count, requests, flag, w.statuses);
  for (int i = 0; result == MPI_SUCCESS && *flag && i < count; ++i) over(w.handles[i], &w.statuses[i]);
  DONE("MPI_Testall", nothing);
  unwatch(&w);
  return result;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  LIBRARYS(MPI_Waitany);
  struct watched w;
  MPI_Status own;
  MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
  watch(&w, count, requests, told);
  VISIT;
  const int result = next(count, requests, index, told);
  if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) over(w.handles[*index], told);
  DONE("MPI_Waitany", nothing);
  unwatch(&w);
  return result;
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
  LIBRARYS(MPI_Testany);
  struct watched w;
  MPI_Status own;
  MPI_Status *told = status == MPI_STATUS_IGNORE ? &own : status;
  watch(&w, count, requests, told);
  VISIT;
  const int result = next(count, requests, index, flag, told);
  if (result == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) over(w.handles[*index], told);
  DONE("MPI_Testany", nothing);
  unwatch(&w);
  return result;
}

static void over_some(const struct watched *w, int n, const int *indices) {
  for (int i = 0; n != MPI_UNDEFINED && i < n; ++i) over(w->handles[indices[i]], &w->statuses[i]);
}

int MPI_Waitsome(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses) {
  LIBRARYS(MPI_Waitsome);
  struct watched w;
  watch(&w, count, requests, statuses);
  VISIT;
  const int result = next(count, requests, n, indices, w.statuses);
  if (result == MPI_SUCCESS) over_some(&w, *n, indices);
  DONE("MPI_Waitsome", nothing);
  unwatch(&w);
  return result;
}

int MPI_Testsome(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses) {
  LIBRARYS(MPI_Testsome);
  struct watched w;
  watch(&w, count, requests, statuses);
  VISIT;
  const int result = next(count, requests, n, indices, w.statuses);
  if (result == MPI_SUCCESS) over_some(&w, *n, indices);
  DONE("MPI_Testsome", nothing);
  unwatch(&w);
  return result;
}

int MPI_Request_free(MPI_Request *request) {
  LIBRARYS(MPI_Request_free);
  oshprof_forgotten(handle(*request));
  return next(request);
}

// ---- persistent requests

int MPI_Start(MPI_Request *request) {
  LIBRARYS(MPI_Start);
  static const struct oshprof_call call = {"MPI_Start", oshprof_send};
  VISIT;
  const int result = next(request);
  oshprof_leave(&visit, &call, oshprof_started(handle(*request), &call, visit.caller));
  return result;
}

int MPI_Startall(int count, MPI_Request *requests) {
  LIBRARYS(MPI_Startall);
  static const struct oshprof_call call = {"MPI_Startall", oshprof_send};
  VISIT;
  const int result = next(count, requests);
  struct oshprof_traffic moved = nothing;
  for (int i = 0; i < count; ++i) moved = plus(moved, oshprof_started(handle(requests[i]), &call, visit.caller));
  oshprof_leave(&visit, &call, moved);
  return result;
}
