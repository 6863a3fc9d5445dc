#include "collective.h"

#include "page.h"

const long collective_sizes[] = {8, 1 << 10, 64 << 10, 1 << 20, 0};

static const collective_calls* calls;
static long elements;
static long *source, *destination;
static long wrong;  // wrong results

void collective_begin(const collective_calls* use, long count, long* from, long* to) {
  calls = use;
  elements = count;
  source = from;
  destination = to;
  wrong = 0;
}

static long* half(long operation) { return destination + (operation % 2) * elements * bench_pes; }

// In operation i, process p contributes i * (p + 1) plus the number of the block, in the first and last element of the
// block.
static void contribute_in(long* place, long operation, long blocks) {
  for (long b = 0; b < blocks; ++b) {
    const long value = operation * (bench_me + 1) + b;
    place[b * elements] = value;
    place[(b + 1) * elements - 1] = value;
  }
}
static void contribute(long operation, long blocks) { contribute_in(source, operation, blocks); }

static void expect(const long* block, long answer) { wrong += (block[0] != answer) + (block[elements - 1] != answer); }

static void expect_from_all(const long* blocks, long operation, long block_number) {
  for (int pe = 0; pe < bench_pes; ++pe) expect(blocks + pe * elements, operation * (pe + 1) + block_number);
}

// A root does not wait for the others. Another process may be late by as many operations as pass until it is root
// itself, so each of these operations has a block of its own.
static void broadcast(long operation, int root) {
  long* place = destination + (operation % bench_pes) * elements;
  contribute(operation, 1);
  calls->broadcast(place, source, elements, root, operation);
  if (bench_me != root) expect(place, operation * (root + 1));
}

void collective_broadcast(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) broadcast(i, (int)(i % bench_pes));
}

void collective_broadcast_root0(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) broadcast(i, 0);
}

void collective_sum(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, 1);
    calls->sum(half(i), source, elements, i);
    expect(half(i), i * bench_pes * (bench_pes + 1) / 2);
  }
}

void collective_sum_in_place(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    contribute_in(half(i), i, 1);
    calls->sum(half(i), half(i), elements, i);
    expect(half(i), i * bench_pes * (bench_pes + 1) / 2);
  }
}

void collective_fcollect(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, 1);
    calls->fcollect(half(i), source, elements, i);
    expect_from_all(half(i), i, 0);
  }
}

void collective_alltoall(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, bench_pes);
    calls->alltoall(half(i), source, elements, i);
    expect_from_all(half(i), i, bench_me);
  }
}

void collective_collect(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    const long share = collective_share(elements, bench_me);
    source[0] = source[share - 1] = i * (bench_me + 1);
    calls->collect(half(i), source, elements, i);
    const long* block = half(i);
    for (int pe = 0; pe < bench_pes; block += collective_share(elements, pe++)) {
      const long last = collective_share(elements, pe) - 1;
      wrong += (block[0] != i * (pe + 1)) + (block[last] != i * (pe + 1));
    }
  }
}

void collective_alltoalls(long first, long count) {
  const long last = (collective_strided(elements) - 1) * collective_stride(elements);
  for (long i = first + 1; i <= first + count; ++i) {
    for (long b = 0; b < bench_pes; ++b) source[b * elements] = source[b * elements + last] = i * (bench_me + 1) + b;
    calls->alltoalls(half(i), source, elements, i);
    for (int pe = 0; pe < bench_pes; ++pe) {
      const long* block = half(i) + pe * elements;
      const long answer = i * (pe + 1) + bench_me;
      wrong += (block[0] != answer) + (block[last] != answer);
    }
  }
}

// In a scan no PE waits for later PEs. Only single operations are timed, because PE 0 would run ahead.
void collective_inscan(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, 1);
    calls->inscan(half(i), source, elements, i);
    expect(half(i), i * (bench_me + 1) * (bench_me + 2) / 2);
  }
}

// The result of process 0 is zero in OpenSHMEM and undefined in MPI.
void collective_exscan(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    contribute(i, 1);
    calls->exscan(half(i), source, elements, i);
    if (bench_me != 0) expect(half(i), i * bench_me * (bench_me + 1) / 2);
  }
}

bool collective_valid(long first, long count) {
  (void)first;
  return count > 0 && wrong == 0;
}
