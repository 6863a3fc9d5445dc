// Wrappers of Fortran names. They call the C wrappers, as the library's own Fortran layer would, with the program as
// caller. They use gfortran's names. Open MPI's module mpi_f08 passes the same arguments as mpif.h, and may omit the
// status.
#pragma once

#include "mpi_support.h"

#define BEGIN oshprof_set_caller(__builtin_return_address(0))
#define END(result)         \
  oshprof_set_caller(NULL); \
  if (error != NULL) *error = (MPI_Fint)(result)

#ifdef OPEN_MPI
#define CONVERSION(type)                            \
  static inline MPI_##type type##_f2c(MPI_Fint f) { \
    MPI_FIND(next, MPI_##type##_f2c);               \
    return next(f);                                 \
  }                                                 \
  static inline MPI_Fint type##_c2f(MPI_##type c) { \
    MPI_FIND(next, MPI_##type##_c2f);               \
    return next(c);                                 \
  }
#else  // handles are the same integers in both languages
#define CONVERSION(type)                                                    \
  static inline MPI_##type type##_f2c(MPI_Fint f) { return (MPI_##type)f; } \
  static inline MPI_Fint type##_c2f(MPI_##type c) { return (MPI_Fint)c; }
#endif
CONVERSION(Comm)
CONVERSION(Group)
CONVERSION(Message)
CONVERSION(Op)
CONVERSION(Request)
CONVERSION(Win)

static inline MPI_Datatype Type_f2c(MPI_Fint f) {
#ifdef OPEN_MPI
  MPI_FIND(next, MPI_Type_f2c);
  return next(f);
#else
  return (MPI_Datatype)f;
#endif
}

// MPI_IN_PLACE and MPI_BOTTOM in Fortran: variables in Open MPI, pointers to them in MPICH.
static inline int is_named(const void* buffer, const char* of_openmpi, const char* of_mpich) {
#ifdef OPEN_MPI
  (void)of_mpich;
  return buffer == oshen_library_variable(of_openmpi);
#else
  (void)of_openmpi;
  void** pointer = oshen_library_variable(of_mpich);
  return pointer != NULL && buffer == *pointer;
#endif
}

static inline void* memory(void* buffer) {
  if (is_named(buffer, "mpi_fortran_in_place_", "MPIR_F_MPI_IN_PLACE")) return MPI_IN_PLACE;
  if (is_named(buffer, "mpi_fortran_bottom_", "MPIR_F_MPI_BOTTOM")) return MPI_BOTTOM;
  return buffer;
}

static inline int is_ignored(const MPI_Fint* status) {
  MPI_Fint **one = oshen_library_variable("MPI_F_STATUS_IGNORE"),
           **many = oshen_library_variable("MPI_F_STATUSES_IGNORE");
  return status == NULL || (one != NULL && status == *one) || (many != NULL && status == *many);
}

enum { status_words = sizeof(MPI_Status) / sizeof(MPI_Fint) };

static inline void give_status(const MPI_Status* c, MPI_Fint* f) {
  MPI_FIND(next, MPI_Status_c2f);
  if (!is_ignored(f)) next(c, f);
}
