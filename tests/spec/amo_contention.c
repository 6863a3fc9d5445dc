// Atomicity: every PE updates the same objects of PE 0; no update may be lost, and no ticket given twice.
#include "symmetric.h"

enum { rounds = 2000 };

static void check_counters(int kind) {
  const int n = shmem_n_pes();
  long* added = memory_take(kind, sizeof(long));
  unsigned* incremented = memory_take(kind, sizeof(unsigned));
  for (int i = 0; i < rounds; i++) {
    shmem_long_atomic_add(added, i, 0);
    shmem_uint_atomic_inc(incremented, 0);
  }
  shmem_barrier_all();
  const long sum = (long)n * rounds * (rounds - 1) / 2;
  if (shmem_my_pe() == 0) {
    CHECK(*added == sum, "atomic_add lost updates: %ld of %ld", *added, sum);
    CHECK(*incremented == (unsigned)(n * rounds), "atomic_inc lost updates: %u", *incremented);
  }
  memory_give_back(kind, incremented);
  memory_give_back(kind, added);
}

// fetch_inc gives tickets; the PE that gets a ticket marks it.
static void check_tickets(int kind) {
  const int n = shmem_n_pes();
  int* next = memory_take(kind, sizeof(int));
  int* drawn = memory_take(kind, (size_t)(n * rounds) * sizeof(int));
  int last = -1;
  for (int i = 0; i < rounds; i++) {
    const int ticket = shmem_int_atomic_fetch_inc(next, 0);
    CHECK(ticket > last && ticket < n * rounds, "ticket %d after %d", ticket, last);
    last = ticket;
    shmem_int_atomic_add(&drawn[ticket], 1, 0);
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 0)
    for (int i = 0; i < n * rounds; i++) CHECK(drawn[i] == 1, "ticket %d drawn %d times", i, drawn[i]);
  memory_give_back(kind, drawn);
  memory_give_back(kind, next);
}

// An add made of compare-and-swaps: each success must have seen the value that it replaced.
static void check_compare_swap(int kind) {
  const int n = shmem_n_pes();
  uint64_t* cell = memory_take(kind, sizeof(uint64_t));
  for (int i = 0; i < rounds; i++) {
    uint64_t seen = shmem_uint64_atomic_fetch(cell, 0), was;
    while ((was = shmem_uint64_atomic_compare_swap(cell, seen, seen + 3, 0)) != seen) seen = was;
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 0)
    CHECK(*cell == (uint64_t)(3 * n * rounds), "compare_swap lost updates: %lu", (unsigned long)*cell);
  memory_give_back(kind, cell);
}

// Each PE has its own bit in every cell, which it toggles an odd and an even number of times, sets, and clears.
static void check_bits(int kind) {
  const int n = shmem_n_pes();
  const uint64_t bit = (uint64_t)1 << shmem_my_pe(), all = ((uint64_t)1 << n) - 1;
  uint64_t* cells = memory_take(kind, 4 * sizeof(uint64_t));
  for (int i = 0; i < rounds; i++) {
    shmem_uint64_atomic_xor(&cells[0], bit, 0);
    if (i > 0) shmem_uint64_atomic_xor(&cells[1], bit, 0);
    const uint64_t before = shmem_uint64_atomic_fetch_or(&cells[2], bit, 0);
    CHECK(((before & bit) != 0) == (i != 0), "own bit in round %d", i);
    shmem_uint64_atomic_or(&cells[3], bit, 0);
    shmem_fence();  // orders two atomics without results
    shmem_uint64_atomic_and(&cells[3], ~bit, 0);
    shmem_fence();
  }
  shmem_barrier_all();
  if (shmem_my_pe() == 0) {
    CHECK(cells[0] == 0, "xor lost updates: %lx", (unsigned long)cells[0]);
    CHECK(cells[1] == all, "xor lost updates: %lx", (unsigned long)cells[1]);
    CHECK(cells[2] == all, "or lost updates: %lx", (unsigned long)cells[2]);
    CHECK(cells[3] == 0, "and lost updates: %lx", (unsigned long)cells[3]);
  }
  memory_give_back(kind, cells);
}

// Swaps only exchange values: at the end every PE's value is on one PE or in the cell.
static void check_swap(int kind) {
  const int n = shmem_n_pes();
  long* cell = memory_take(kind, sizeof(long));
  long* total = memory_take(kind, sizeof(long));
  long hand = shmem_my_pe() + 1;
  for (int i = 0; i < rounds; i++) hand = shmem_long_atomic_swap(cell, hand, 0);
  shmem_long_atomic_add(total, hand, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) CHECK(*total + *cell == (long)n * (n + 1) / 2, "swap lost a value: %ld + %ld", *total, *cell);
  memory_give_back(kind, total);
  memory_give_back(kind, cell);
}

int main(void) {
  shmem_init();
  for (int kind = 0; kind < MEMORY_KINDS; kind++) {
    check_counters(kind);
    check_tickets(kind);
    check_compare_swap(kind);
    check_bits(kind);
    check_swap(kind);
  }
  shmem_finalize();
  return 0;
}
