// One test for the 120 forms of put-with-signal: typed, sized and mem; blocking and nonblocking;
// default and own context.
#pragma once

#include "pattern.h"
#include "symmetric.h"
#include "types.h"

struct put_signal {
  const char* name;
  size_t element;
  void (*call)(void* dest, const void* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);
};

static shmem_ctx_t signal_ctx;
static const size_t signal_counts[] = {0, 1, 7, 8, 9, 64, 65, 256, 1023, 4097};
enum { signal_most_bytes = 4097 * 16 };

#define PUT_SIGNAL_PARAMETERS void *d, const void *s, size_t n, uint64_t *a, uint64_t v, int op, int pe

// The target needs no barrier: when it has seen the signal, the data of this call has arrived.
static inline void put_signal_once(const struct put_signal* row, size_t nelems, int sig_op, unsigned char* dest,
                                   uint64_t* signal, unsigned char* source) {
  const int me = shmem_my_pe(), n = shmem_n_pes(), right = (me + 1) % n, left = (me + n - 1) % n;
  const size_t bytes = nelems * row->element;
  const uint64_t expected = sig_op == SHMEM_SIGNAL_ADD ? 100 + 5 : 5;

  *signal = 100;
  memset(dest, 0, bytes + 16);
  pattern_fill(source, bytes, (unsigned)me);
  shmem_barrier_all();
  row->call(dest, source, nelems, signal, 5, sig_op, right);
  const uint64_t seen = shmem_signal_wait_until(signal, SHMEM_CMP_EQ, expected);
  CHECK(seen == expected, "%s: signal_wait_until returned %llu", row->name, (unsigned long long)seen);
  const size_t at = pattern_mismatch(dest, bytes, (unsigned)left);
  CHECK(at == bytes, "%s, %zu elements: signal seen, but byte %zu not delivered", row->name, nelems, at);
  CHECK(byte_mismatch(dest + bytes, 16, 0) == 16, "%s wrote behind its destination", row->name);
  shmem_quiet();
  shmem_ctx_quiet(signal_ctx);
  shmem_barrier_all();
}

static inline void check_put_signal(const struct put_signal* rows, size_t count) {
  unsigned char* source = malloc(signal_most_bytes);
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    unsigned char* dest = memory_take(kind, signal_most_bytes + 16);
    // The signal and the data may be in different kinds of memory.
    uint64_t* signal = memory_take(MEMORY_STATIC - kind, sizeof(uint64_t));
    for (size_t r = 0; r < count; r++)
      for (size_t i = 0; i < LENGTH(signal_counts); i++) {
        put_signal_once(&rows[r], signal_counts[i], SHMEM_SIGNAL_SET, dest, signal, source);
        put_signal_once(&rows[r], signal_counts[i], SHMEM_SIGNAL_ADD, dest, signal, source);
      }
    memory_give_back(MEMORY_STATIC - kind, signal);
    memory_give_back(kind, dest);
  }
  free(source);
}
