/* The name under which C programs of fftMPI include its 2-D remaps. */
#include "../fftmpi.h"
