// SPDX-License-Identifier: BSD-3-Clause
// For the test of check_symbols.py: a library with faults. It lacks most names, exports one name too many, has a name
// that is no alias of its twin, needs the C++ runtime, and has dynamic initialisation.
#include <string>
#include <vector>

static std::vector<std::string> words(3, "word");

extern "C" int shmem_my_pe() { return 0; }
extern "C" int pshmem_my_pe() { return 1; }
extern "C" const char* shmem_my_own() { return words.at(1).c_str(); }
