// What of a transfer hides behind computation, and what starting and completing it cost apart: the arithmetic that
// cases of OpenSHMEM and of MPI share. On the process that has the clock.
#pragma once

typedef void overlap_transfer(long first, long count);  // `count` transfers, each completed

// By `prepare`: batches also tell `_percent`, how much of a transfer was hidden.
void overlap_prepare(void);
// Before the transfers of a batch: how long one takes, measured in the same batch (overlap_tries of them from `first`
// on), and which computation lasts as long.
void overlap_weigh(overlap_transfer* transfer, long first);
// That computation: between starting a transfer and completing it.
void overlap_compute(void);
// After `count` transfers, each with a computation, that began at `begin`.
void overlap_tell(double begin, long count);

// By `prepare`: batches also tell `_start` and `_wait`, ns of a transfer.
void split_prepare(void);
void split_tell(double start, double wait, long count);

double overlap_now(void);  // ns

enum { overlap_tries = 32 };
