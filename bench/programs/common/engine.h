// Runs cases in batches and writes one JSON line per batch. A batch is so long that reading the clock does not count.
// Every process checks its results afterwards. A batch of the physical reference (reference.h) runs right before it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hosts.h"

// Operations are numbered from 1 through all batches of a case, and a batch does first + 1 .. first + count. Each
// operation carries its number, so that a batch that moved nothing is noticed.
typedef enum {
  bench_alone = 0,        // process 0 runs the body, the others sleep.
  bench_everyone = 1,     // all processes run it.
  bench_ring = 2 | 1,     // an operation passes through all processes: the result is one hop.
  bench_pairs = 4 | 1,    // an operation goes there and back: the result is one way.
  bench_stamped = 8 | 1,  // each operation starts at a barrier of the harness; all processes time it
                          // alone (as in OMB).
  bench_assisted = 16,    // the others call the library instead of sleeping, because some libraries need it.
  bench_long_run = 32,    // left out of --quick.
  bench_lasting = 64,     // batches last ten times as long: the effect begins late.
  bench_bytewise = 128,   // --sizes may name any number of bytes, not only multiples of 8.
  bench_own_sizes = 256,  // the sizes are not bytes (a stride, a window): --sizes does not change them.
  bench_grouped = 512,    // a batch has at least bench_group operations
  // Stamped; each process arrives up to bench_skew_ns late, at random. The result is the time from the last arrival to
  // the last exit.
  bench_skewed = 1024 | 8 | 1,
  bench_cold = 2048  // a batch has no more operations than an area has chunks (cold.h).
} bench_mode;

enum { bench_group = 128, bench_skew_ns = 20000 };

typedef struct {
  const char* name;
  const char* how;             // the calls that are timed
  int reference;               // limit of the machine: an index of reference.h; 0 for none
  void (*prepare)(long size);  // all processes, before the case; may be NULL
  void (*body)(long first, long count);
  bool (*valid)(long first, long count);  // all processes, after each batch
  int mode;
  const long* sizes;  // bytes per operation, ends with 0; NULL if the case has no size; --quick takes only the first
} bench_case;

// A file declares all that belongs to its cases, and nothing else names the file. The driver compiles every file of a
// folder and leaves out files that a library cannot compile. It reads BENCH_KINDS and BENCH_FAULT from the sources
// (oshbench/cases/declarations.py).
typedef enum { bench_any_pes, bench_two_pes } bench_needs;  // cases between two PEs are left out with one PE

// `table` ends with a case without name.
void bench_register(bench_needs needs, const bench_case* table);
#define BENCH_CASES(needs, table) \
  __attribute__((constructor)) static void register_##table(void) { bench_register(needs, table); }

// `open` (or NULL) is called on every process before the cases, `close` after them.
void bench_around(void (*open)(void), void (*close)(void));
#define BENCH_AROUND(open, close) \
  __attribute__((constructor)) static void register_##close(void) { bench_around(open, close); }

// Describes the cases whose names match a shell pattern; the most specific pattern of all files counts. The files of
// MPI declare only names that OpenSHMEM does not have.
typedef struct {
  const char *pattern, *axis, *about;  // `axis` is one of the axes in oshbench/cases/catalogue.py.
  const char* completion;  // state when the clock stops: injected, local, remote (also if empty) or notified.
  int streams;             // messages of `size` bytes that one operation moves; 0: bytes per second mean nothing.
  const char* omb;         // the test of OMB that prints the same.
  bool radar;              // counts on the radar of its axis.
  const char* counts;      // what a size counts, with {} for the number; empty: bytes.
} bench_kind;
enum { bench_all_others = -1 };  // as many streams as there are other PEs.
#define BENCH_KINDS __attribute__((unused)) static const bench_kind kinds[]

// A fault is a broken routine of the library that the cases must notice (oshbench verify):
//     // Fault: p stores at home.
//     // Noticed by: p_rate, fence
//     #ifdef BENCH_FAULT
//     void shmem_long_p(long* dest, long value, int pe) { ... }
//     #endif
// The block is compiled alone, after the header of the library and <string.h>, and loaded before the library.

typedef struct {
  const char* program;     // the library under test, by its own name.
  void (*progress)(void);  // a call that makes progress for other processes; may be NULL.
  hosts_tell* tell;        // for processes on several hosts; NULL: they must be on one.
  int64_t (*clock)(void);  // ns; NULL for the machine's clock. With another clock lost CPUs are not counted.
} bench_suite;

// The case whose functions are being called, so that they can find what belongs to its table row.
extern const bench_case* bench_current;

// For `prepare`, on every process: each batch reports one more number, in a record with the case's name and `suffix`.
// `value` is called on process 0 after each batch.
void bench_also(const char* suffix, const char* unit, double (*value)(void));

// Call on every process between the library's init and finalize. Returns the number of failed batches. Arguments:
// --page FILE|hosts --out FILE [--cpus 0,1] [--batches N] [--batch-us N] [--cases a,b*,...] [--sizes 8,4096,...]
// [--from N] [--quick], or --list, which prints the cases.
long bench_run(const bench_suite* suite, int me, int pes, int argc, char** argv);

// True in the batches that check whole results, before the timed batches of a case and after them. They are not timed.
// Each operation then writes other data into every byte, and `valid` compares all of it. Timed operations carry their
// number in some words only, so that writing and checking do not count.
extern bool bench_whole;

// A barrier of the harness, for `valid`. Meanwhile the library makes progress for other processes if it needs that.
void bench_barrier(void);

// Keeps the compiler from dropping the result of a loop.
static inline void bench_keep(long value) { __asm__ volatile("" : : "r"(value) : "memory"); }
