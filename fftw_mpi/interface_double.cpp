// The functions of libfftw3_mpi.
#define SERIAL(name) fftw_##name
#define MPI(name) fftw_mpi_##name
#define REAL double
#include "interface.hpp"
