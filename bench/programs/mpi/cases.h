// The counterparts of ../micro in MPI, under the same names.
#pragma once
#include <mpi.h>

#include "engine.h"
#include "page.h"
#include "reference.h"

enum { target_words = 512, block_bytes = 4 << 20 };

// A window of block_bytes per process, open for passive access by all processes.
extern MPI_Win window;
extern long* target;
extern unsigned char* window_block;
extern unsigned char* local_block;
extern int next_rank, previous_rank;

static inline unsigned long word_of(long operation) { return (unsigned long)operation % target_words; }

// Makes other processes' accesses to this process' window visible.
static inline void window_refresh(void) { MPI_Win_sync(window); }
