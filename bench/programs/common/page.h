// The memory that all processes of a run share without any library: a barrier of the harness, the raw cache lines of
// the reference ping-pong, and a block to copy into. The driver makes a zeroed file for each run. Processes on several
// hosts access it through sockets (hosts.h).
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "hosts.h"

enum {
  page_max_pes = 1024,    // processes of a run.
  page_max_stamps = 256,  // time stamps per process and batch.
  page_words = 512,       // of the store and load references: 4 KiB, stays in L1.
  page_block = 4 << 20,   // bytes of the copy reference.
  page_line = 256         // distance of flags: twice the two lines of the adjacent-line prefetcher.
};

typedef struct {
  _Alignas(page_line) uint64_t value;
} page_flag;

typedef struct {
  int64_t enter, leave;  // ns of CLOCK_MONOTONIC, common to all processes of a node
} page_stamp;

typedef struct {
  page_flag arrived, released;       // barrier of the harness.
  page_flag count, settled;          // decisions of process 0 on the next batch.
  page_flag failures, switches;      // summed over all processes, per case and per batch.
  page_flag flags[page_max_pes];     // one line per process: the references that cross cores.
  page_flag payloads[page_max_pes];  // one line per process: data announced by a flag.
  page_flag progress[page_max_pes];  // one line per process: its last operation, for checks of barriers.
  page_flag counter;                 // target of the atomic reference.
  _Alignas(4096) uint64_t words[page_words];
  _Alignas(4096) page_stamp stamps[page_max_pes][page_max_stamps];
  _Alignas(4096) unsigned char block[page_block];
} bench_page;

extern bench_page* page;
extern int bench_me, bench_pes;
extern bool bench_oversubscribed;  // more processes than CPUs: never spin without yielding

// On one host the processes share the page and the clock.
extern bool page_apart;      // several hosts: only the counters of the page and the barrier are shared
extern bool page_one_clock;  // CLOCK_MONOTONIC is the same for all
extern hosts_map page_map;

// Maps `path`, which must be at least sizeof(bench_page) long, and keeps `me` and `pes`. With the path "hosts" the call
// is collective and connects the processes by `tell`. Ends the process on failure.
void page_open(const char* path, int me, int pes, int cpus, hosts_tell* tell);

// Barrier of all processes. A waiting process calls `pastime` between tests, or pauses if that is NULL.
void page_barrier(void (*pastime)(void));

// Called at the end of each page_barrier, if it is not NULL: a barrier of the library. A race detector sees only that
// one.
extern void (*page_also_meet)(void);

// A pastime that leaves the core to others.
void page_sleep(void);

// Sends the first `count` stamps of this process to process 0.
void page_deliver_stamps(long count);

// Tells the core that this is a spin loop.
static inline void spin_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

// Access to counters of the page, for all processes.
static inline uint64_t page_get(const page_flag* flag) {
  return page_apart ? hosts_get(&flag->value) : __atomic_load_n(&flag->value, __ATOMIC_ACQUIRE);
}
static inline void page_set(page_flag* flag, uint64_t value) {
  if (page_apart)
    hosts_set(&flag->value, value);
  else
    __atomic_store_n(&flag->value, value, __ATOMIC_RELEASE);
}
static inline uint64_t page_add(page_flag* flag, uint64_t value) {
  return page_apart ? hosts_add(&flag->value, value) : __atomic_fetch_add(&flag->value, value, __ATOMIC_ACQ_REL);
}

// The same for processes that share memory; the references measure these.
static inline uint64_t flag_get(const page_flag* flag) { return __atomic_load_n(&flag->value, __ATOMIC_ACQUIRE); }
static inline void flag_set(page_flag* flag, uint64_t value) {
  __atomic_store_n(&flag->value, value, __ATOMIC_RELEASE);
}
static inline uint64_t flag_add(page_flag* flag, uint64_t value) {
  return __atomic_fetch_add(&flag->value, value, __ATOMIC_ACQ_REL);
}
