// How much of a transfer hides behind computation, and how long its start and its completion take. Cases of OpenSHMEM
// and MPI share this arithmetic. Call it on the process that takes the time.
#pragma once

typedef void overlap_transfer(long first, long count);  // `count` transfers, each completed

// For `prepare`: batches also report `_percent`, the hidden share of a transfer.
void overlap_prepare(void);
// Before the transfers of a batch: measures one transfer (overlap_tries of them from `first` on) and chooses a
// computation of the same length.
void overlap_weigh(overlap_transfer* transfer, long first);
// The computation, between the start and the completion of a transfer.
void overlap_compute(void);
// After `count` transfers with computation that began at `begin`.
void overlap_tell(double begin, long count);

// For `prepare`: batches also report `_start` and `_wait`, in ns per transfer.
void split_prepare(void);
void split_tell(double start, double wait, long count);

double overlap_now(void);  // ns

enum { overlap_tries = 32 };
