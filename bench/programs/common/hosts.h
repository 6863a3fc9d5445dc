// The page of processes on several hosts, which share no memory. Process 0 holds it, and the others access its counters
// through sockets, without the library under test. A thread of process 0 serves them and sleeps between requests. The
// functions of page.h work the same, but take 50 us instead of 0.1.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Collective: copies `data` of process 0 to all processes, by the library under test.
typedef void hosts_tell(void* data, size_t bytes);

// Where the processes are.
typedef struct {
  int local;       // number of this process on its machine
  int most_local;  // processes on the machine with most of them
  int machines;    // kernels: several hosts made of one machine share its CPUs and clock
} hosts_map;

// Collective. `page` holds `bytes`; that of process 0 is shared. Ends the process on failure.
hosts_map hosts_open(int me, int pes, void* page, size_t bytes, hosts_tell* tell);

uint64_t hosts_get(const uint64_t* word);
void hosts_set(uint64_t* word, uint64_t value);
uint64_t hosts_add(uint64_t* word, uint64_t value);
// Copies a range of this process' page to the page of process 0.
void hosts_deliver(const void* part, size_t bytes);
void hosts_barrier(void (*pastime)(void), bool may_sleep);
