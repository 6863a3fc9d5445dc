// The functions of libfftw3f_mpi.
#define SERIAL(name) fftwf_##name
#define MPI(name) fftwf_mpi_##name
#define REAL float
#include "interface.hpp"
