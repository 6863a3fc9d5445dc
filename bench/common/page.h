// The memory that all processes of one benchmark run share without any library: a barrier that is
// not the library's own, the raw cache lines of the reference ping-pong, and a block to copy into.
// The driver makes the file, zeroed, per run. Processes on several hosts have it through sockets (hosts.h).
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "hosts.h"

enum {
  page_max_pes = 1024,    // processes that take part
  page_max_stamps = 256,  // time stamps per process and batch
  page_words = 512,       // words that the store and load references walk over: 4 KiB, stays in L1
  page_block = 4 << 20,   // bytes of the copy reference
  page_line = 256         // keeps words apart: two lines of the adjacent-line prefetcher, twice
};

typedef struct {
  _Alignas(page_line) uint64_t value;
} page_flag;

typedef struct {
  int64_t enter, leave;  // ns of CLOCK_MONOTONIC, which all processes of a node share
} page_stamp;

typedef struct {
  page_flag arrived, released;      // barrier of the harness
  page_flag count, settled;         // what process 0 decided about the next batch
  page_flag failures, switches;     // summed over all processes, per case and per batch
  page_flag flags[page_max_pes];    // one line per process: the references that cross cores
  page_flag parcels[page_max_pes];  // one line per process: data that a flag announces
  page_flag
      places[page_max_pes];  // one line per process: how far it has come, for checks of barriers
  page_flag counter;         // target of the atomic reference
  _Alignas(4096) uint64_t words[page_words];
  _Alignas(4096) page_stamp stamps[page_max_pes][page_max_stamps];
  _Alignas(4096) unsigned char block[page_block];
} bench_page;

extern bench_page* page;
extern int bench_me, bench_pes;
extern bool bench_oversubscribed;  // more processes than CPUs: never spin without yielding

// Where the processes are. One host: they share the page, all clocks are one.
extern bool page_apart;      // several hosts: nothing but the words of the page and the barrier is shared
extern bool page_one_clock;  // CLOCK_MONOTONIC is the same for all
extern hosts_map page_map;

// Maps `path`, which must be at least sizeof(bench_page) long, and remembers who we are. The path "hosts" is no file:
// collective, the processes find each other by `tell`. Ends the process on failure.
void page_open(const char* path, int me, int pes, int cpus, hosts_tell* tell);

// All processes meet. Between looks a waiting one calls `pastime`, or only pauses if that is NULL.
void page_barrier(void (*pastime)(void));

// A pastime that takes nothing from a core that may be shared.
void page_sleep(void);

// My first `count` stamps, to process 0.
void page_deliver_stamps(long count);

// Tells the core that this is a spin loop.
static inline void spin_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

// Words, for all processes.
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

// The same where processes are known to share memory: what the references measure.
static inline uint64_t flag_get(const page_flag* flag) {
  return __atomic_load_n(&flag->value, __ATOMIC_ACQUIRE);
}
static inline void flag_set(page_flag* flag, uint64_t value) {
  __atomic_store_n(&flag->value, value, __ATOMIC_RELEASE);
}
static inline uint64_t flag_add(page_flag* flag, uint64_t value) {
  return __atomic_fetch_add(&flag->value, value, __ATOMIC_ACQ_REL);
}
