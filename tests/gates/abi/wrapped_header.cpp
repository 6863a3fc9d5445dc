// SPDX-License-Identifier: BSD-3-Clause
// Old C++ programs put extern "C" around the headers: overloads and templates must compile there too.
extern "C" {
#include <pshmem.h>
#include <shmem.h>
#include <shmemx.h>
}

#include <complex>

void put_by_every_name(long* dest, const long* source, std::complex<double>* z) {
  shmem_long_put(dest, source, 1, 0);
  shmem_put(dest, source, 1, 0);
  shmem_sum_reduce(SHMEM_TEAM_WORLD, z, z, 1);
}
