/* The name under which C++ programs of fftMPI include its class of 2-D transforms. */
#include "../fftmpi.hpp"
