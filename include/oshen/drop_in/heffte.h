/* The name under which programs of heFFTe include it. */
#include "../heffte.hpp"
