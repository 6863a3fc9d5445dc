// Shared by the files of cases for OpenSHMEM libraries: symmetric memory, and the available routines. Public API only.
#pragma once
#include <shmem.h>

#include "engine.h"
#include "page.h"
#include "reference.h"

// Routines of OpenSHMEM 1.5 (teams, put with signal) and 1.6 (scans) are used if the library has that version.
#define BENCH_HAS_1_5 (SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5)
#define BENCH_HAS_1_6 (SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 6)
// The driver probes each feature; without the driver the version decides.
#ifndef BENCH_HAS_NBI_ATOMICS
#define BENCH_HAS_NBI_ATOMICS BENCH_HAS_1_5
#endif
#ifndef BENCH_HAS_WAIT_SETS
#define BENCH_HAS_WAIT_SETS BENCH_HAS_1_5
#endif
#ifndef BENCH_HAS_TEAMS
#define BENCH_HAS_TEAMS BENCH_HAS_1_5
#endif
#ifndef BENCH_HAS_CONTEXTS
#define BENCH_HAS_CONTEXTS 1
#endif
#ifndef BENCH_HAS_MALLOC_HINTS
#define BENCH_HAS_MALLOC_HINTS BENCH_HAS_1_5
#endif
#ifndef BENCH_HAS_PE_QUIET
#define BENCH_HAS_PE_QUIET BENCH_HAS_1_6
#endif
#ifndef BENCH_HAS_BLOCK_STRIDED
#define BENCH_HAS_BLOCK_STRIDED BENCH_HAS_1_6
#endif

enum {
  target_words = 512,    // objects of the small operations: 4 KiB, stays in L1
  block_bytes = 4 << 20  // largest operation
};

// Symmetric heap objects, page aligned, allocated once by memory_open.
extern long* target;  // target_words of them, at the start of `remote_block`
extern unsigned char* remote_block;
extern unsigned char* local_block;  // private memory of the same length
extern int next_pe;                 // the PE that this one sends to

void memory_open(void);
void memory_close(void);

static inline unsigned long word_of(long operation) { return (unsigned long)operation % target_words; }
