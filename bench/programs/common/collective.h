// The loops and checks of the collective cases. OpenSHMEM and MPI share them and supply the calls and the memory.
#pragma once
#include <stdbool.h>

// Moves blocks of `elements` longs. `operation` numbers the calls; active sets alternate their pSync by it.
typedef void collective_call(long* dest, long* source, long elements, long operation);

// One call each; NULL if the library has none.
typedef struct {
  void (*broadcast)(long* dest, long* source, long elements, int root, long operation);
  collective_call* sum;
  collective_call* fcollect;
  collective_call* alltoall;
  collective_call* collect;    // collective_share(elements, pe) longs of each process
  collective_call* alltoalls;  // collective_strided(elements) longs per block, collective_stride apart
  collective_call* inscan;
  collective_call* exscan;
} collective_calls;

// Begins cases of `elements` longs per process and block. `source` holds one block per process,
// `destination` two times that. Its halves alternate, because a PE that is one operation ahead may already write where
// a slower PE still reads.
void collective_begin(const collective_calls* calls, long elements, long* source, long* destination);

void collective_broadcast(long first, long count);  // the root rotates, so that no process runs ahead
void collective_broadcast_root0(long first, long count);
void collective_sum(long first, long count);
void collective_sum_in_place(long first, long count);  // `sum` with one block as dest and source
void collective_fcollect(long first, long count);
void collective_alltoall(long first, long count);
void collective_collect(long first, long count);
void collective_alltoalls(long first, long count);
void collective_inscan(long first, long count);
void collective_exscan(long first, long count);
bool collective_valid(long first, long count);

// The elements that process `pe` contributes to a collect: a whole block or half of it.
static inline long collective_share(long elements, int pe) {
  return pe % 2 == 0 || elements < 2 ? elements : elements / 2;
}

// Every other element of a block is moved, so that a block takes as much memory as in an alltoall. An odd number has no
// such half: all are moved.
static inline long collective_stride(long elements) { return elements % 2 == 0 ? 2 : 1; }
static inline long collective_strided(long elements) { return elements / collective_stride(elements); }

extern const long collective_sizes[];
