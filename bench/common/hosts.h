// The page of processes on several hosts, which share no memory: process 0 has it, and the others ask for its words
// through sockets that no library under test knows of. A thread of process 0 answers; it sleeps while nobody asks. What
// page.h offers works the same, only slower: 50 us where a page of one host takes 0.1.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Collective: what process 0 has in `data` comes to all, by the library under test.
typedef void hosts_tell(void* data, size_t bytes);

// Where the processes are.
typedef struct {
  int local;       // which of the processes of my machine I am
  int most_local;  // processes on the machine that has most
  int machines;    // kernels: CPUs and clocks belong to them, also where several hosts are made of one
} hosts_map;

// Collective; `bytes` at `page` are the page, of process 0. Ends the process on failure.
hosts_map hosts_open(int me, int pes, void* page, size_t bytes, hosts_tell* tell);

uint64_t hosts_get(const uint64_t* word);
void hosts_set(uint64_t* word, uint64_t value);
uint64_t hosts_add(uint64_t* word, uint64_t value);
// Copies a part of my page, which process 0 has for me, to its own.
void hosts_deliver(const void* part, size_t bytes);
void hosts_barrier(void (*pastime)(void), bool may_sleep);
