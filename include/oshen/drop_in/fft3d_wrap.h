/* The name under which programs of fftMPI include its transforms. */
#include "../fftmpi.h"
