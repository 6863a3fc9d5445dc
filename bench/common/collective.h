// The loops and answers of the collective cases, the same for OpenSHMEM and MPI, which bring the
// calls and the memory.
#pragma once
#include <stdbool.h>

// One call each; `operation` numbers the calls (active sets alternate their pSync by it). Blocks of
// `elements` longs.
typedef struct {
  void (*broadcast)(long* dest, long* source, long elements, int root, long operation);
  void (*sum)(long* dest, long* source, long elements, long operation);
  void (*fcollect)(long* dest, long* source, long elements, long operation);
  void (*alltoall)(long* dest, long* source, long elements, long operation);
} collective_calls;

// Begins cases of `elements` longs per process and block. `source` holds one block per process,
// `destination` two times that: its halves alternate, because a PE that is one operation ahead may
// already write where a slower one still looks.
void collective_begin(const collective_calls* calls, long elements, long* source,
                      long* destination);

void collective_broadcast(long first, long count);  // the root goes round: nobody can run ahead
void collective_broadcast_root0(long first, long count);
void collective_sum(long first, long count);
void collective_fcollect(long first, long count);
void collective_alltoall(long first, long count);
bool collective_valid(long first, long count);

extern const long collective_sizes[];
