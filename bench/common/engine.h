// Runs cases in batches and writes one JSON line per batch. A batch is long enough that reading the
// clock is nothing, is checked by every process after it, and has a batch of its physical reference
// (reference.h) run right before it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts.h"

// Operations are numbered from 1 through all batches of a case; a batch does first + 1 .. first +
// count, so that each can carry its number and a batch that moved nothing cannot be taken for one
// that did.
typedef enum {
  bench_alone = 0,     // process 0 runs the body, the others sleep
  bench_everyone = 1,  // all processes run it
  bench_ring =
      2 |
      1,  // an operation passes through all processes in turn: the result is the time of one hop
  bench_pairs = 4 | 1,    // an operation goes there and back: the result is one way
  bench_stamped = 8 | 1,  // each operation starts at a barrier of the harness and is timed alone,
                          // everywhere (as in OMB)
  bench_assisted =
      16,  // the others call the library meanwhile instead of sleeping, as some libraries need it
  bench_long_run = 32,  // left out of --quick
  bench_lasting = 64,   // batches last ten times as long: what is measured begins late
  bench_bytewise = 128,  // --sizes may name any number of bytes, not only multiples of 8
  bench_own_sizes = 256,  // the sizes are no bytes (a stride, a window): --sizes does not change them
  bench_grouped = 512,    // a batch is at least bench_group operations: fewer would be another thing
  // Stamped; each process comes up to bench_skew_ns late, at random: the result is the time from when the last one has
  // come to when the last one leaves.
  bench_skewed = 1024 | 8 | 1,
  bench_cold = 2048  // a batch has no more operations than an area has pieces (cold.h)
} bench_mode;

enum { bench_group = 128, bench_skew_ns = 20000 };

typedef struct {
  const char* name;
  const char* how;             // the calls that are timed
  int reference;               // what the machine can do: an index of reference.h; 0 for none
  void (*prepare)(long size);  // all processes, before the case; may be NULL
  void (*body)(long first, long count);
  bool (*valid)(long first, long count);  // all processes, after each batch
  int mode;
  const long* sizes;  // bytes per operation, ends with 0; NULL where size means nothing; --quick
                      // takes the first only
} bench_case;

typedef struct {
  const char* program;  // the name of the library under test, as it calls itself
  void (*progress)(
      void);  // a call into the library that moves what others have under way; may be NULL
  const bench_case* const* tables;  // NULL-terminated; each table ends with a case without name
  const bench_case* const* between;  // tables of what happens between processes, left out where one is alone; or NULL
  hosts_tell* tell;  // for processes on several hosts; NULL: they must be on one
  int64_t (*clock)(void);  // ns; NULL for the machine's. With another one lost CPUs are not counted
} bench_suite;

// The case whose functions are being called, so that they can find what belongs to its table row.
extern const bench_case* bench_current;

// To be called by `prepare`, on every process: batches of the case tell one more number, as a record
// of its own with the case's name and `suffix`. `value` is called on process 0 after each batch.
void bench_also(const char* suffix, const char* unit, double (*value)(void));

// Call between the library's init and finalize, on every process. Returns the number of failed
// batches. Arguments: --page FILE|hosts --out FILE [--cpus 0,1] [--batches N] [--batch-us N] [--cases
// a,b*,...] [--sizes 8,4096,...] [--from N] [--quick]; or --list, which prints what there is.
long bench_run(const bench_suite* suite, int me, int pes, int argc, char** argv);

// Keeps the compiler from dropping what a loop computed.
static inline void bench_keep(long value) {
  __asm__ volatile("" : : "r"(value) : "memory");
}
