/* The name under which C++ programs of fftMPI include its class of 3-D transforms. */
#include "../fftmpi.hpp"
