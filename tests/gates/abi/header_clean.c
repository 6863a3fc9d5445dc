/* SPDX-License-Identifier: BSD-3-Clause
 * All public headers together, and twice; compiled in every language mode with every warning on. */
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <pshmem.h>
#include <shmem.h>
#include <shmemx.h>

int header_clean(void);
int header_clean(void) { return SHMEM_MAJOR_VERSION; }
