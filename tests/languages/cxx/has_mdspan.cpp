// Compiles where the library of the compiler has <mdspan>.
#include <version>
#ifndef __cpp_lib_mdspan
#error "no <mdspan>"
#endif
