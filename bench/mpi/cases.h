// The counterparts of ../micro in MPI, under the same names, so that the driver can put them side
// by side.
#pragma once
#include <mpi.h>

#include "engine.h"
#include "page.h"
#include "reference.h"

enum { target_words = 512, block_bytes = 4 << 20 };

// A window of block_bytes per process, open for passive access by everybody.
extern MPI_Win window;
extern long* target;
extern unsigned char* window_block;
extern unsigned char* local_block;
extern int next_rank, previous_rank;

static inline unsigned long word_of(long operation) {
  return (unsigned long)operation % target_words;
}

// What this process' window holds, other processes' accesses included.
static inline void window_refresh(void) {
  MPI_Win_sync(window);
}

extern const bench_case window_cases[];
extern const bench_case own_window_cases[];
extern const bench_case cold_cases[];
extern const bench_case target_cases[];
extern const bench_case message_cases[];
extern const bench_case barrier_cases[];
extern const bench_case stream_cases[];
extern const bench_case amo_cases[];
extern const bench_case collective_cases[];
extern const bench_case fan_cases[];
extern const bench_case overlap_cases[];
extern const bench_case lock_cases[];

// The window of the last of own_window_cases, collective.
void windows_close(void);

// The window of the locks, collective.
void locks_open(void);
void locks_close(void);
