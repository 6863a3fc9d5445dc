// The Fortran names of the functions in mpi_requests.c.
#include "mpi_fortran.h"

#include <string.h>

// gfortran's names of mpif.h and the module mpi, and of Open MPI's module mpi_f08.
#define FORTRAN(name, parameters)                                             \
  void mpi_##name##_f08_ parameters __attribute__((alias("mpi_" #name "_"))); \
  void mpi_##name##_ parameters;                                              \
  void mpi_##name##_ parameters

// ---- initialisation and end: calls the library's Fortran layer, which sets variables of its own

typedef void function_of_error(MPI_Fint*);

static void call_library(const char* profiling_name, const char* name, MPI_Fint* error) {
  function_of_error* next;
  *(void**)&next = oshen_next_function(profiling_name, name);
  MPI_Fint own = MPI_SUCCESS;
  next(error != NULL ? error : &own);
}

FORTRAN(init, (MPI_Fint * error)) {
  call_library("pmpi_init_", "mpi_init_", error);
  oshprof_mpi_begin();
}

FORTRAN(init_thread, (const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error)) {
  void (*next)(const MPI_Fint*, MPI_Fint*, MPI_Fint*);
  *(void**)&next = oshen_next_function("pmpi_init_thread_", "mpi_init_thread_");
  MPI_Fint own = MPI_SUCCESS;
  next(required, provided, error != NULL ? error : &own);
  oshprof_mpi_begin();
}

FORTRAN(finalize, (MPI_Fint * error)) {
  oshprof_mpi_end();
  call_library("pmpi_finalize_", "mpi_finalize_", error);
}

// ---- requests

// Requests and statuses converted to C.
struct converted {
  MPI_Request* requests;
  MPI_Status* statuses;
  int n;
};

static struct converted convert(int n, const MPI_Fint* requests) {
  const size_t room = n > 0 ? (size_t)n : 1;
  struct converted c = {malloc(room * sizeof(MPI_Request)), malloc(room * sizeof(MPI_Status)), n};
  for (int i = 0; i < n; ++i) c.requests[i] = Request_f2c(requests[i]);
  return c;
}

// Converts requests and the first `given` statuses back.
static void give_back(struct converted c, MPI_Fint* requests, int given, MPI_Fint* statuses) {
  for (int i = 0; i < c.n; ++i) requests[i] = Request_c2f(c.requests[i]);
  for (int i = 0; !is_ignored(statuses) && i < given; ++i) give_status(&c.statuses[i], statuses + i * status_words);
  free(c.requests);
  free(c.statuses);
}

static void from_one(int n, int* indices) {
  for (int i = 0; i < n; ++i)
    if (indices[i] != MPI_UNDEFINED) ++indices[i];
}

FORTRAN(wait, (MPI_Fint * request, MPI_Fint* status, MPI_Fint* error)) {
  struct converted c = convert(1, request);
  BEGIN;
  const int result = MPI_Wait(c.requests, c.statuses);
  END(result);
  give_back(c, request, 1, status);
}

FORTRAN(test, (MPI_Fint * request, MPI_Fint* flag, MPI_Fint* status, MPI_Fint* error)) {
  struct converted c = convert(1, request);
  BEGIN;
  const int result = MPI_Test(c.requests, flag, c.statuses);
  END(result);
  give_back(c, request, *flag, status);
}

FORTRAN(waitall, (const MPI_Fint* n, MPI_Fint* requests, MPI_Fint* statuses, MPI_Fint* error)) {
  struct converted c = convert(*n, requests);
  BEGIN;
  const int result = MPI_Waitall(*n, c.requests, c.statuses);
  END(result);
  give_back(c, requests, *n, statuses);
}

FORTRAN(testall, (const MPI_Fint* n, MPI_Fint* requests, MPI_Fint* flag, MPI_Fint* statuses, MPI_Fint* error)) {
  struct converted c = convert(*n, requests);
  BEGIN;
  const int result = MPI_Testall(*n, c.requests, flag, c.statuses);
  END(result);
  give_back(c, requests, *flag ? *n : 0, statuses);
}

FORTRAN(waitany, (const MPI_Fint* n, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* status, MPI_Fint* error)) {
  struct converted c = convert(*n, requests);
  BEGIN;
  const int result = MPI_Waitany(*n, c.requests, index, c.statuses);
  END(result);
  from_one(1, index);
  give_back(c, requests, 1, status);
}

FORTRAN(testany,
        (const MPI_Fint* n, MPI_Fint* requests, MPI_Fint* index, MPI_Fint* flag, MPI_Fint* status, MPI_Fint* error)) {
  struct converted c = convert(*n, requests);
  BEGIN;
  const int result = MPI_Testany(*n, c.requests, index, flag, c.statuses);
  END(result);
  if (*flag) from_one(1, index);
  give_back(c, requests, *flag, status);
}

FORTRAN(waitsome, (const MPI_Fint* n, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices, MPI_Fint* statuses,
                   MPI_Fint* error)) {
  struct converted c = convert(*n, requests);
  BEGIN;
  const int result = MPI_Waitsome(*n, c.requests, done, indices, c.statuses);
  END(result);
  const int given = *done == MPI_UNDEFINED ? 0 : *done;
  from_one(given, indices);
  give_back(c, requests, given, statuses);
}

FORTRAN(testsome, (const MPI_Fint* n, MPI_Fint* requests, MPI_Fint* done, MPI_Fint* indices, MPI_Fint* statuses,
                   MPI_Fint* error)) {
  struct converted c = convert(*n, requests);
  BEGIN;
  const int result = MPI_Testsome(*n, c.requests, done, indices, c.statuses);
  END(result);
  const int given = *done == MPI_UNDEFINED ? 0 : *done;
  from_one(given, indices);
  give_back(c, requests, given, statuses);
}

FORTRAN(request_free, (MPI_Fint * request, MPI_Fint* error)) {
  MPI_Request c = Request_f2c(*request);
  BEGIN;
  const int result = MPI_Request_free(&c);
  END(result);
  *request = Request_c2f(c);
}

FORTRAN(start, (MPI_Fint * request, MPI_Fint* error)) {
  MPI_Request c = Request_f2c(*request);
  BEGIN;
  const int result = MPI_Start(&c);
  END(result);
  *request = Request_c2f(c);
}

FORTRAN(startall, (const MPI_Fint* n, MPI_Fint* requests, MPI_Fint* error)) {
  struct converted c = convert(*n, requests);
  BEGIN;
  const int result = MPI_Startall(*n, c.requests);
  END(result);
  give_back(c, requests, 0, NULL);
}
