#include "reference.h"

#include <stdlib.h>
#include <string.h>

#include "cold.h"
#include "page.h"

// The index of operation i; unsigned, so that the remainder is one instruction.
static inline uint64_t at(long i) { return (uint64_t)i % page_words; }

// ---- one core

static void store_body(long first, long count) {
  volatile uint64_t* w = page->words;
  long i = first + 1;
  for (; i + 3 <= first + count; i += 4) {  // unrolled, so that the loop itself does not count
    w[at(i)] = (uint64_t)i;
    w[at(i + 1)] = (uint64_t)i + 1;
    w[at(i + 2)] = (uint64_t)i + 2;
    w[at(i + 3)] = (uint64_t)i + 3;
  }
  for (; i <= first + count; ++i) w[at(i)] = (uint64_t)i;
}

// On other processors than x86 both are the full fence.
#if defined(__x86_64__)
static inline void locked_fence(void) { __asm__ volatile("lock; orl $0, -64(%%rsp)" : : : "memory", "cc"); }
static inline void plain_fence(void) { __asm__ volatile("mfence" : : : "memory"); }
#else
static inline void locked_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void plain_fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

static void store_fence_body(long first, long count) {
  volatile uint64_t* w = page->words;
  for (long i = first + 1; i <= first + count; ++i) {
    w[at(i)] = (uint64_t)i;
    locked_fence();
  }
}

static void store_mfence_body(long first, long count) {
  volatile uint64_t* w = page->words;
  for (long i = first + 1; i <= first + count; ++i) {
    w[at(i)] = (uint64_t)i;
    plain_fence();
  }
}

static bool store_valid(long first, long count) {
  const long oldest = count < page_words ? first + 1 : first + count - page_words + 1;
  bool ok = true;
  for (long i = oldest; i <= first + count; ++i) ok &= page->words[at(i)] == (uint64_t)i;
  return ok;
}

static uint64_t load_sum;

static void load_prepare(long size) {
  (void)size;
  if (bench_me == 0)
    for (uint64_t i = 0; i < page_words; ++i) page->words[i] = (i + 1) % page_words;
}

static void load_body(long first, long count) {
  const volatile uint64_t* w = page->words;
  uint64_t sum = 0;
  long i = first + 1;
  for (; i + 3 <= first + count; i += 4) sum += w[at(i)] + w[at(i + 1)] + w[at(i + 2)] + w[at(i + 3)];
  for (; i <= first + count; ++i) sum += w[at(i)];
  load_sum = sum;
}

static bool load_valid(long first, long count) {
  uint64_t sum = 0;
  for (long i = first + 1; i <= first + count; ++i) sum += at(i + 1);
  return bench_me != 0 || load_sum == sum;
}

static uint64_t chain_end;

static void chain_body(long first, long count) {
  const volatile uint64_t* w = page->words;
  uint64_t here = at(first);
  for (long i = 0; i < count; ++i) here = w[here];
  chain_end = here;
}

static bool chain_valid(long first, long count) { return bench_me != 0 || chain_end == at(first + count); }

static void xadd_prepare(long size) {
  (void)size;
  if (bench_me == 0) flag_set(&page->counter, 0);
}

static void xadd_body(long first, long count) {
  for (long i = first; i < first + count; ++i) bench_keep((long)flag_add(&page->counter, 1));
}

static bool xadd_valid(long first, long count) { return flag_get(&page->counter) == (uint64_t)(first + count); }

static void null_body(long first, long count) {
  for (long i = first; i < first + count; ++i) bench_keep(i);
}

static bool null_valid(long first, long count) {
  (void)first;
  return count > 0;
}

// ---- copies

static unsigned char* mine;  // private, page-aligned, as long as the shared block
static size_t copy_size;

static void copy_prepare(long size) {
  copy_size = size < 8 ? 8 : (size_t)size;  // room for the number
  if (mine == NULL) mine = aligned_alloc(4096, page_block);
  if (mine == NULL) abort();
  memset(mine, 1, page_block);
  if (bench_me == 0) memset(page->block, 2, page_block);
}

static void stamp(unsigned char* block, long number) {
  memcpy(block, &number, sizeof number);
  memcpy(block + copy_size - sizeof number, &number, sizeof number);
}

static bool stamped(const unsigned char* block, long number) {
  return memcmp(block, &number, sizeof number) == 0 &&
         memcmp(block + copy_size - sizeof number, &number, sizeof number) == 0;
}

static void copy_out_body(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    stamp(mine, i);
    memcpy(page->block, mine, copy_size);
    __asm__ volatile("" : : : "memory");
  }
}

static bool copy_out_valid(long first, long count) { return stamped(page->block, first + count); }

static void copy_in_body(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    stamp(page->block, i);
    memcpy(mine, page->block, copy_size);
    __asm__ volatile("" : : : "memory");
  }
}

static bool copy_in_valid(long first, long count) { return bench_me != 0 || stamped(mine, first + count); }

// Two halves alternate, as the destinations of the collectives do.
static unsigned char* part(long number) { return page->block + (size_t)(2 * bench_me + number % 2) * (page_block / 4); }

static void copy_both_body(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    stamp(mine, i);
    memcpy(part(i), mine, copy_size);
    __asm__ volatile("" : : : "memory");
  }
}

static bool copy_both_valid(long first, long count) { return stamped(part(first + count), first + count); }

static cold_area cold;

static void copy_cold_prepare(long size) {
  copy_prepare(size);
  cold = cold_begin((size_t)size);
  if (bench_me == 0) cold_renew(&cold, mine, page->block);
}

static void copy_cold_body(long first, long count) {
  for (long i = first; i < first + count; ++i) {
    memcpy(page->block + cold_offset(&cold, i), mine + cold_offset(&cold, i), cold.length);
    __asm__ volatile("" : : : "memory");
  }
}

static bool copy_cold_valid(long first, long count) {
  if (bench_me != 0) return true;
  const bool ok = cold_arrived(&cold, page->block, first, count);
  cold_renew(&cold, mine, page->block);
  return ok;
}

// ---- two cores

static void flags_prepare(long size) {
  (void)size;
  flag_set(&page->flags[bench_me], 0);
}

static void await(const page_flag* flag, uint64_t value) {
  while (flag_get(flag) < value) spin_pause();
}

// Each process waits on its own line, as a PE waits on its own flag.
static void line_body(long first, long count) {
  page_flag* my_flag = &page->flags[bench_me];
  page_flag* peer_flag = &page->flags[1 - bench_me];
  for (long i = first + 1; i <= first + count; ++i) {
    if (bench_me == 0) flag_set(peer_flag, (uint64_t)i);
    await(my_flag, (uint64_t)i);
    if (bench_me == 1) flag_set(peer_flag, (uint64_t)i);
  }
}

static void shared_line_prepare(long size) {
  flags_prepare(size);
  page_barrier(NULL);
  if (bench_me == 0) flag_set(&page->flags[0], 1);
}

static void shared_line_body(long first, long count) {
  page_flag* flag = &page->flags[0];
  for (long i = first + 1; i <= first + count; ++i) {
    const uint64_t turn = (uint64_t)(2 * i + bench_me);
    await(flag, turn - 1);
    flag_set(flag, turn);
  }
  await(flag, (uint64_t)(2 * (first + count) + 1));
}

static bool shared_line_valid(long first, long count) {
  return flag_get(&page->flags[0]) == (uint64_t)(2 * (first + count) + 1);
}

static uint64_t wrong_parcels;

static void message_prepare(long size) {
  flags_prepare(size);
  wrong_parcels = 0;
}

static void send_parcel(long number) {
  __atomic_store_n(&page->payloads[1 - bench_me].value, (uint64_t)number * 3, __ATOMIC_RELAXED);
  flag_set(&page->flags[1 - bench_me], (uint64_t)number);
}

static void message_body(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    if (bench_me == 0) send_parcel(i);
    await(&page->flags[bench_me], (uint64_t)i);
    wrong_parcels += flag_get(&page->payloads[bench_me]) != (uint64_t)i * 3;
    if (bench_me == 1) send_parcel(i);
  }
}

static bool message_valid(long first, long count) {
  return wrong_parcels == 0 && flag_get(&page->flags[bench_me]) == (uint64_t)(first + count);
}

static void exchange_body(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    flag_set(&page->flags[bench_me], (uint64_t)i);
    await(&page->flags[1 - bench_me], (uint64_t)i);
  }
}

static bool flags_valid(long first, long count) {
  return flag_get(&page->flags[bench_me]) == (uint64_t)(first + count);
}

const long eight_bytes[] = {8, 0};
static const long one_mebibyte[] = {1 << 20, 0};

const bench_case reference_cases[reference_end + 1] = {
    [reference_null] = {"null_loop", "empty loop", 0, NULL, null_body, null_valid, bench_alone, NULL},
    [reference_store] = {"store", "mov", 0, NULL, store_body, store_valid, bench_alone, eight_bytes},
    [reference_store_fence] = {"store_fence", "mov, lock or", 0, NULL, store_fence_body, store_valid, bench_alone,
                               eight_bytes},
    [reference_store_mfence] = {"store_mfence", "mov, mfence", 0, NULL, store_mfence_body, store_valid, bench_alone,
                                eight_bytes},
    [reference_load] = {"load", "mov, add", 0, load_prepare, load_body, load_valid, bench_alone, eight_bytes},
    [reference_chain] = {"chain", "dependent mov", 0, load_prepare, chain_body, chain_valid, bench_alone, eight_bytes},
    [reference_xadd] = {"xadd", "lock xadd", 0, xadd_prepare, xadd_body, xadd_valid, bench_alone, eight_bytes},
    [reference_copy_out] = {"copy_out", "memcpy private to shared", 0, copy_prepare, copy_out_body, copy_out_valid,
                            bench_alone, one_mebibyte},
    [reference_copy_in] = {"copy_in", "memcpy shared to private", 0, copy_prepare, copy_in_body, copy_in_valid,
                           bench_alone, one_mebibyte},
    [reference_line] = {"line", "cache line, one way", 0, flags_prepare, line_body, flags_valid, bench_ring,
                        eight_bytes},
    [reference_shared_line] = {"shared_line", "one line, written in turn, one way", 0, shared_line_prepare,
                               shared_line_body, shared_line_valid, bench_ring, eight_bytes},
    [reference_message] = {"message", "data and flag, a line each, one way", 0, message_prepare, message_body,
                           message_valid, bench_ring, eight_bytes},
    [reference_exchange] = {"exchange", "both store, both see", 0, flags_prepare, exchange_body, flags_valid,
                            bench_everyone, eight_bytes},
    [reference_copy_both] = {"copy_both", "memcpy private to shared, both processes at once", 0, copy_prepare,
                             copy_both_body, copy_both_valid, bench_everyone, one_mebibyte},
    [reference_copy_cold] = {"copy_cold", "memcpy private to shared, nothing in a cache", 0, copy_cold_prepare,
                             copy_cold_body, copy_cold_valid, bench_alone | bench_cold, one_mebibyte},
};
