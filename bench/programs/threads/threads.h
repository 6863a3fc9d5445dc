// Messages from several threads: mt_PATTERN.OPERATION.CONTEXT.SYNCHRONISATION.tT. Messages of a batch are numbered and
// distributed to the threads in turn. Each thread has slots of its own at the target; after each batch the numbers in
// them are checked.
#pragma once
#include "engine.h"
#include "page.h"

enum { most_threads = 4, most_slots = 64, region_bytes = 1 << 20, regions = 2 * most_threads };

typedef enum { lat, bw, bibw, rate_single, rate_pairs, rate_allstart, rate_halo } pattern;

// A case of threads; `rows` is its table for the engine.
typedef struct {
  bench_case rows[2];
  char name[64];
  pattern pattern;
  int threads;
  int operation, context, synchronisation;  // indices of the lists of the backend
} thread_case;

// One thread's share of a group: messages from + 1, from + 1 + step ..., up to `last`.
typedef struct {
  int thread, target, side;
  long from, last;
  int step;
  bool each;  // complete every message, not only the last
} share;

typedef struct {
  const char* const* operations;  // names, NULL-terminated
  const char* const* contexts;
  const char* const* synchronisations;
  bool (*offers)(const thread_case* c);
  bool (*one_word)(const thread_case* c);  // operations with one size only
  void (*prepare)(const thread_case* c, long size);
  void (*send)(const thread_case* c, const share* s);  // called by each thread; completes as the case demands
  // By the master, on every process, after messages from + 1 .. last.
  void (*close_group)(const thread_case* c, long from, long last, bool sends, int senders);
  bool (*valid)(const thread_case* c, long last, int sides);  // messages up to `last` that arrived here
  bool (*valid_sender)(const thread_case* c, long count);     // values that came back to the sender
} thread_backend;

// Messages of a group, after which close_group is called: bench_group, unless `prepare` makes it less.
extern long threads_group;

// BENCH_THREAD_LEVEL=single: one thread, and the library is initialised for it. The cases end in .single instead of
// .t1; the ratio of the two is the cost of THREAD_MULTIPLE.
bool threads_alone(void);

// The partner of this process in the other half, or -1; whether this process sends; the number of senders to it.
int threads_half_partner(void);
bool threads_sends(const thread_case* c);
int threads_senders(const thread_case* c);

// Private memory of a thread, every page written: unwritten pages would all be the same page of zeros, which is always
// in a cache. NULL if there is no memory.
unsigned char* threads_private(void);

// Makes the threads, and gives all cases to the engine.
void threads_open(const thread_backend* backend);
void threads_close(void);

// The number of messages 1 .. last that belong to thread `thread` of `threads`.
static inline long threads_own(long last, int thread, int threads) {
  return last > thread ? (last - thread - 1) / threads + 1 : 0;
}
static inline long threads_slots(long size) {
  const long room = region_bytes / (size < 64 ? 64 : size);
  return room > most_slots ? most_slots : room;
}
