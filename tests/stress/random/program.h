// A random OpenSHMEM program, and the sequential model that knows what it must do.
//
// All PEs derive the same program from the same seed. It runs in phases. A phase is a list of operations, each with the
// PEs that take part in it. Every PE goes through the list, does its own operations and enters a barrier.
//
// Within a phase no two operations touch the same bytes (claim_*), except for reads and for updates that commute. So
// the order in which the PEs run does not matter. The model applies the operations one after the other to a copy of the
// memory of ALL PEs. After the phase each PE compares every byte of its memory with the model's.
#pragma once

#include <shmem.h>
#include <stddef.h>
#include <stdint.h>
#include "random.h"

// HEAP and STATIC are symmetric; PRIVATE is each PE's own (malloc): local buffers of puts and gets.
enum memory { HEAP, STATIC, PRIVATE, MEMORIES };

enum {
  most_pes = 16,
  most_teams = 6,
  most_operations = 400,
  data_bytes = 24 * 1024,  // of each memory; cells for atomics, signals and counters come behind
  cells = 96,
  memory_bytes = data_bytes + 8 * cells,
  lock_count = 4
};

struct place {
  enum memory memory;
  size_t offset;
};

struct operation;

// A kind of operation. An operation is planned, applied to the model, and run by each PE, which does its own part, if
// any. Planning chooses at random and claims the bytes; it returns 0 if they are taken.
struct operation_kind {
  const char* name;
  int weight;  // relative frequency
  int (*plan)(struct operation* op, struct random* r);
  void (*model)(const struct operation* op);
  void (*run)(const struct operation* op);
};

// The fields of an operation; each kind uses some of them.
struct operation {
  const struct operation_kind* kind;
  int pe, target;  // the PE that issues it and its target; numbers in the world
  int route;       // the context, see contexts.h
  int team;        // of a collective, or of the context
  int variant;     // index of the call among those of the kind
  struct place dest, source, result;
  size_t width;  // bytes per element
  size_t count, bsize;
  ptrdiff_t dst, sst;
  uint64_t value, condition;
  size_t counts[most_pes];
};

extern const struct operation_kind rma_kinds[], strided_kinds[], atomic_kinds[], message_kinds[], collective_kinds[],
    extended_kinds[], repeated_kinds[], waiting_kinds[], heap_kinds[], threaded_kinds[];

// ---- who we are
// --------------------------------------------------------------------------------------------

extern int me, n_pes;
extern int threads_may_call;  // whether several threads may call the library at once

// ---- memory, real and model
// --------------------------------------------------------------------------------

// This PE's bytes at `place`: for HEAP and STATIC the symmetric address.
void* here(struct place place);

// The model's bytes of `pe`; read-only.
const void* model_at(int pe, struct place place);

// The model's effect of an operation; remembers it as the last writer of the bytes.
void model_write(const struct operation* op, int pe, struct place place, const void* bytes, size_t count);

static inline struct place beyond(struct place place, size_t bytes) {
  place.offset += bytes;
  return place;
}

// ---- claims of the phase being planned
// ---------------------------------------------------------------------

// Sharing of bytes: reads may share a byte, and so may updates of one commuting class.
enum claim { FREE, READ, WRITTEN, FIRST_CLASS };

int claim_read(int pe, struct place place, size_t bytes);
int claim_write(int pe, struct place place, size_t bytes);
int claim_class(int pe, struct place place, size_t bytes, int class);

// Random places: aligned to `width`, with room for `bytes`.
struct place random_symmetric(struct random* r, size_t width, size_t bytes);
struct place random_local(struct random* r, size_t width, size_t bytes);
struct place random_cell(struct random* r);

// ---- teams
// -------------------------------------------------------------------------------------------------

struct team {
  shmem_team_t handle;  // SHMEM_TEAM_INVALID on PEs outside
  int size;
  int members[most_pes];  // world numbers, in the order of the team
};
extern struct team teams[most_teams];
extern int team_count;

// Number of world PE `pe` in the team; -1 outside.
int team_place(const struct team* team, int pe);

// Completes the non-blocking collectives that this PE has started.
void collectives_wait(void);

// Frees the blocks that the operations of heap_kinds have left. Collective.
void heap_blocks_free(void);

void teams_create(struct random* r);
void teams_destroy(void);
