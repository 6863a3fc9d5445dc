/* The name under which programs of fftMPI include its remaps. */
#include "../fftmpi.h"
