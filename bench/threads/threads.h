// Messages from several threads: mt_PATTERN.OPERATION.CONTEXT.SYNCHRONISATION.tT. Messages of a batch are
// numbered and dealt to the threads in turn; each thread has slots of its own at the target, and the numbers
// in them are looked at after each batch.
#pragma once
#include "engine.h"
#include "page.h"

enum { most_threads = 4, most_slots = 64, region_bytes = 1 << 20, regions = 2 * most_threads };

typedef enum { lat, bw, bibw, rate_single, rate_pairs, rate_allstart, rate_halo } pattern;

// What the threads of a case do; `rows` is its table for the engine.
typedef struct {
  bench_case rows[2];
  char name[64];
  pattern pattern;
  int threads;
  int operation, context, synchronisation;  // of the library's own lists
} thread_case;

// One thread's share of a group: messages number from + 1, from + 1 + step ... below or equal to `last`.
typedef struct {
  int thread, target, side;
  long from, last;
  int step;
  bool each;  // complete every message, not only the last
} share;

typedef struct {
  const char* const* operations;        // names, NULL-terminated
  const char* const* contexts;
  const char* const* synchronisations;
  bool (*offers)(const thread_case* c);
  bool (*one_word)(const thread_case* c);  // operations that have no other size
  void (*prepare)(const thread_case* c, long size);
  void (*send)(const thread_case* c, const share* s);  // called by each thread; completes as the case says
  // By the master, on every process, after messages from + 1 .. last.
  void (*close_group)(const thread_case* c, long from, long last, bool sends, int senders);
  bool (*valid)(const thread_case* c, long last, int sides);  // what arrived here of messages up to `last`
  bool (*valid_sender)(const thread_case* c, long count);     // what came back to the sender
} thread_backend;

// Messages of a group, after which close_group is called: bench_group, unless `prepare` makes it less.
extern long threads_group;

// BENCH_THREAD_LEVEL=single: no threads but the first, and the library is to be told so; the cases end in .single where
// they would in .t1. What THREAD_MULTIPLE costs is the ratio of the two.
bool threads_alone(void);

// The process of the other half with which this one has to do, or -1; whether this one sends; how many send to it.
int threads_half_partner(void);
bool threads_sends(const thread_case* c);
int threads_senders(const thread_case* c);

// Private memory of a thread, every page of it its own: of what nobody has written to, all pages would be one of zeros,
// which is always in a cache. NULL if there is none.
unsigned char* threads_private(void);

// The tables of all cases, for the engine. Makes the threads.
const bench_case* const* threads_open(const thread_backend* backend);
void threads_close(void);

// Of thread `thread` of `threads`: how many of messages 1 .. last are its own.
static inline long threads_own(long last, int thread, int threads) {
  return last > thread ? (last - thread - 1) / threads + 1 : 0;
}
static inline long threads_slots(long size) {
  const long room = region_bytes / (size < 64 ? 64 : size);
  return room > most_slots ? most_slots : room;
}
