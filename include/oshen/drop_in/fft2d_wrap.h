/* The name under which C programs of fftMPI include its 2-D transforms. */
#include "../fftmpi.h"
