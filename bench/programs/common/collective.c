#include "collective.h"

#include <string.h>

#include "engine.h"
#include "page.h"

const long collective_sizes[] = {8, 1 << 10, 64 << 10, 1 << 20, 0};

static const collective_calls* calls;
static long elements;
static long *source, *destination;
static long wrong;  // wrong results

// Timed operations carry a number in the first and the last element of each block only, so that filling and checking do
// not count. After a batch one more operation runs in full (collective_valid): element e of a block also carries e
// times `step`, and every element of the results is compared.
enum { step = 17, always_in_full = 8192 };  // longer blocks: after the first batch only
static bool in_full, seen_in_full;
static void (*body)(long first, long count);  // of the present case

void collective_begin(const collective_calls* use, long count, long* from, long* to) {
  calls = use;
  elements = count;
  source = from;
  destination = to;
  wrong = 0;
  seen_in_full = false;
  body = NULL;
}

static long* half(long operation) { return destination + (operation % 2) * elements * bench_pes; }

// `n` elements that are `stride` apart: the first and the last of them, or all.
static void fill(long* place, long n, long stride, long value) {
  place[0] = value;
  place[(n - 1) * stride] = value + (in_full ? (n - 1) * stride * step : 0);
  for (long e = 1; in_full && e < n - 1; ++e) place[e * stride] = value + e * stride * step;
}

// `terms`: how many processes the result combines.
static void expect(const long* block, long n, long stride, long answer, long terms) {
  const long each = in_full ? terms * step : 0;
  wrong += (block[0] != answer) + (block[(n - 1) * stride] != answer + (n - 1) * stride * each);
  for (long e = 1; in_full && e < n - 1; ++e) wrong += block[e * stride] != answer + e * stride * each;
}

// In operation i, process p contributes i * (p + 1) plus the number of the block.
static void contribute_in(long* place, long operation, long blocks) {
  for (long b = 0; b < blocks; ++b) fill(place + b * elements, elements, 1, operation * (bench_me + 1) + b);
}
static void contribute(long operation, long blocks) { contribute_in(source, operation, blocks); }

static void expect_block(const long* block, long answer, long terms) { expect(block, elements, 1, answer, terms); }

static void expect_from_all(const long* blocks, long operation, long block_number) {
  for (int pe = 0; pe < bench_pes; ++pe) expect_block(blocks + pe * elements, operation * (pe + 1) + block_number, 1);
}

// A root does not wait for the others. Another process may be late by as many operations as pass until it is root
// itself, so each of these operations has a block of its own.
static void broadcast(long operation, int root) {
  long* place = destination + (operation % bench_pes) * elements;
  contribute(operation, 1);
  calls->broadcast(place, source, elements, root, operation);
  if (bench_me != root) expect_block(place, operation * (root + 1), 1);
}

void collective_broadcast(long first, long count) {
  body = collective_broadcast;
  for (long i = first + 1; i <= first + count; ++i) broadcast(i, (int)(i % bench_pes));
}

void collective_broadcast_root0(long first, long count) {
  body = collective_broadcast_root0;
  for (long i = first + 1; i <= first + count; ++i) broadcast(i, 0);
}

void collective_sum(long first, long count) {
  body = collective_sum;
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, 1);
    calls->sum(half(i), source, elements, i);
    expect_block(half(i), i * bench_pes * (bench_pes + 1) / 2, bench_pes);
  }
}

void collective_sum_in_place(long first, long count) {
  body = collective_sum_in_place;
  for (long i = first + 1; i <= first + count; ++i) {
    contribute_in(half(i), i, 1);
    calls->sum(half(i), half(i), elements, i);
    expect_block(half(i), i * bench_pes * (bench_pes + 1) / 2, bench_pes);
  }
}

void collective_fcollect(long first, long count) {
  body = collective_fcollect;
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, 1);
    calls->fcollect(half(i), source, elements, i);
    expect_from_all(half(i), i, 0);
  }
}

void collective_alltoall(long first, long count) {
  body = collective_alltoall;
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, bench_pes);
    calls->alltoall(half(i), source, elements, i);
    expect_from_all(half(i), i, bench_me);
  }
}

void collective_collect(long first, long count) {
  body = collective_collect;
  for (long i = first + 1; i <= first + count; ++i) {
    const long share = collective_share(elements, bench_me);
    fill(source, share, 1, i * (bench_me + 1));
    calls->collect(half(i), source, elements, i);
    const long* block = half(i);
    for (int pe = 0; pe < bench_pes; block += collective_share(elements, pe++))
      expect(block, collective_share(elements, pe), 1, i * (pe + 1), 1);
  }
}

void collective_alltoalls(long first, long count) {
  body = collective_alltoalls;
  const long n = collective_strided(elements), stride = collective_stride(elements);
  for (long i = first + 1; i <= first + count; ++i) {
    for (long b = 0; b < bench_pes; ++b) fill(source + b * elements, n, stride, i * (bench_me + 1) + b);
    calls->alltoalls(half(i), source, elements, i);
    for (int pe = 0; pe < bench_pes; ++pe) expect(half(i) + pe * elements, n, stride, i * (pe + 1) + bench_me, 1);
  }
}

// In a scan no PE waits for later PEs. Only single operations are timed, because PE 0 would run ahead.
void collective_inscan(long first, long count) {
  body = collective_inscan;
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, 1);
    calls->inscan(half(i), source, elements, i);
    expect_block(half(i), i * (bench_me + 1) * (bench_me + 2) / 2, bench_me + 1);
  }
}

// The result of process 0 is zero in OpenSHMEM and undefined in MPI.
void collective_exscan(long first, long count) {
  body = collective_exscan;
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, 1);
    calls->exscan(half(i), source, elements, i);
    if (bench_me != 0) expect_block(half(i), i * bench_me * (bench_me + 1) / 2, bench_me);
  }
}

// One more operation, with results of all processes in memory that held something else before. The barrier of the
// harness keeps a process from writing into a dest that is being cleared.
static void run_in_full(long operation) {
  memset(destination, 0x5a, 2 * sizeof(long) * (size_t)(elements * bench_pes));
  bench_barrier();
  in_full = true;
  body(operation - 1, 1);
  in_full = false;
  seen_in_full = true;
}

bool collective_valid(long first, long count) {
  if (body != NULL && (!seen_in_full || elements <= always_in_full)) run_in_full(first + count + 1);
  return count > 0 && wrong == 0;
}
