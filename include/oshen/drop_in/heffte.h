/* The name under which programs of heFFTe include it. They find these headers of C++ in it, too. */
#include <cassert>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <string>

#include "../heffte.hpp"
