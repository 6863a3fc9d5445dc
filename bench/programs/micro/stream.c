// Many messages at once. Bandwidth is measured in a window of 64: one way, both ways, all to one, one to all. Other
// cases measure the message rate by the length of the window, overlap with computation, and the cost of start and
// completion.
#include <string.h>

#include "block.h"
#include "cases.h"
#include "overlap.h"

enum { window = 64, place_bytes = block_bytes / 2 };

static size_t length;
static int peer;      // the PE that this one sends to
static int expected;  // the PE that sends to this one, or -1

// Messages of a batch go to different slots as far as there is room.
static long places(void) {
  const size_t room = place_bytes / (length + 63);
  return room < 1 ? 1 : room > window ? window : (long)room;
}
static unsigned char* place(unsigned char* base, long i) {
  return base + (size_t)(i % places()) * ((length + 63) / 64 * 64);
}

static int partner(void) {  // pairs of the first and the second half
  const int half = bench_pes / 2;
  if (bench_pes == 1) return 0;
  return bench_me >= 2 * half ? -1 : bench_me < half ? bench_me + half : bench_me - half;
}

static void prepare(long size) {
  length = (size_t)size;
  peer = partner();
  expected = peer;
  block_begin(length);
  for (int i = 0; i < window; ++i) block_fill(place(local_block, i));
  memset(remote_block, 0, place_bytes);
  shmem_barrier_all();
}

// Every slot must hold its last message.
static bool last_arrived(unsigned char* base, long first, long count) {
  bool ok = true;
  for (long i = first + count; i > first && i > first + count - places(); --i) ok &= block_arrived(place(base, i), i);
  return ok;
}

static void put_window(long first, long count, int target_pe, unsigned char* base) {
  for (long i = first + 1; i <= first + count; ++i) {
    unsigned char* const from = place(local_block, i);
    if (i > first + count - places()) {
      shmem_quiet();  // it may be the source of a pending message
      block_stamp(from, i);
    }
    shmem_putmem_nbi(place(base, i), from, length, target_pe);
    if (i % window == 0) shmem_quiet();
  }
  shmem_quiet();
}

static void bw_put(long first, long count) {
  if (peer >= 0 && bench_me < peer) put_window(first, count, peer, remote_block);
}
// The message rate of OMB: each put has left its source when it returns.
static void bw_put_blocking(long first, long count) {
  for (long i = first + 1; peer >= 0 && bench_me < peer && i <= first + count; ++i) {
    unsigned char* const from = place(local_block, i);
    if (i > first + count - places()) block_stamp(from, i);
    shmem_putmem(place(remote_block, i), from, length, peer);
  }
  shmem_quiet();
}
static bool put_arrived(long first, long count) {
  return expected < 0 || bench_me < expected || last_arrived(remote_block, first, count);
}

static void bibw_put(long first, long count) {
  if (peer >= 0) put_window(first, count, peer, remote_block);
}
static bool both_arrived(long first, long count) { return expected < 0 || last_arrived(remote_block, first, count); }

static void prepare_get(long size) {
  prepare(size);
  for (int i = 0; i < window; ++i) {
    block_fill(place(remote_block, i));
    block_stamp(place(remote_block, i), bench_me + 1);
  }
  shmem_barrier_all();
}
static void get_window(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    if (i == first + count) block_stamp(place(local_block, i), 0);
    shmem_getmem_nbi(place(local_block, i), place(remote_block, i), length, peer);
    if (i % window == 0) shmem_quiet();
  }
  shmem_quiet();
}
static void bw_get(long first, long count) {
  if (peer >= 0 && bench_me < peer) get_window(first, count);
}
static void bibw_get(long first, long count) {
  if (peer >= 0) get_window(first, count);
}
static bool got_it(long first, long count) {
  return peer < 0 || bench_me > peer || block_arrived(place(local_block, first + count), peer + 1);
}
static bool both_got_it(long first, long count) {
  return peer < 0 || block_arrived(place(local_block, first + count), peer + 1);
}

// ---- all to one, one to all: a segment of the block for each sender

static size_t share(void) { return block_bytes / (size_t)bench_pes / 64 * 64; }
static void prepare_fan(long size) {
  length = (size_t)size < share() ? (size_t)size : share();
  block_begin(length);
  block_fill(local_block);
  memset(remote_block, 0, block_bytes);
  shmem_barrier_all();
}
static void fan_in(long first, long count) {
  for (long i = first + 1; bench_me != 0 && i <= first + count; ++i) {
    block_stamp(local_block, i);
    shmem_putmem_nbi(remote_block + (size_t)bench_me * share(), local_block, length, 0);
    shmem_quiet();
  }
  shmem_barrier_all();  // PE 0 takes the time
}
static bool all_came(long first, long count) {
  bool ok = true;
  for (int pe = 1; bench_me == 0 && pe < bench_pes; ++pe)
    ok &= block_arrived(remote_block + (size_t)pe * share(), first + count);
  return ok;
}
static void fan_out(long first, long count) {
  for (long i = first + 1; bench_me == 0 && i <= first + count; ++i) {
    block_stamp(local_block, i);
    for (int pe = 1; pe < bench_pes; ++pe) shmem_putmem_nbi(remote_block, local_block, length, pe);
    shmem_quiet();
  }
}
static bool came(long first, long count) { return bench_me == 0 || block_arrived(remote_block, first + count); }

// ---- latency of the non-blocking calls with their quiet

static void prepare_next(long size) {
  prepare(size);
  peer = next_pe;
}
static void put_nbi(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    shmem_putmem_nbi(remote_block, local_block, length, peer);
    shmem_quiet();
  }
}
static bool next_arrived(long first, long count) {
  return bench_me != 1 % bench_pes || block_arrived(remote_block, first + count);
}
static void prepare_get_next(long size) {
  prepare_get(size);
  peer = next_pe;
}
static void get_nbi(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, 0);
    shmem_getmem_nbi(local_block, remote_block, length, peer);
    shmem_quiet();
  }
}
static bool next_got(long first, long count) {
  (void)first;
  return count > 0 && (bench_me != 0 || block_arrived(local_block, peer + 1));
}

// ---- rate: 8 bytes, the window as the size of the case

static void rate(long first, long count) {
  static long values[1024];
  for (long i = first + 1; i <= first + count; ++i) {
    const size_t slot = (size_t)i % length;
    values[slot] = i;
    shmem_long_put_nbi(&target[slot], &values[slot], 1, next_pe);
    if (slot == length - 1) shmem_quiet();
  }
  shmem_quiet();
}
static void prepare_rate(long size) {
  length = (size_t)size;
  memset(target, 0, 1024 * sizeof *target);
}
static bool rate_arrived(long first, long count) {
  const long last = first + count;
  return bench_me != 1 % bench_pes || target[(size_t)last % length] == last;
}

// ---- start and completion; overlap with computation

static void prepare_split(long size) {
  prepare_next(size);
  split_prepare();
}
static void split_put(long first, long count) {
  double start = 0, wait = 0;
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    const double a = overlap_now();
    shmem_putmem_nbi(remote_block, local_block, length, peer);
    const double b = overlap_now();
    shmem_quiet();
    start += b - a;
    wait += overlap_now() - b;
  }
  split_tell(start, wait, count);
}

static void overlap_put(long first, long count) {
  overlap_weigh(put_nbi, first);
  const double begin = overlap_now();
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, i);
    shmem_putmem_nbi(remote_block, local_block, length, peer);
    overlap_compute();
    shmem_quiet();
  }
  overlap_tell(begin, count);
}
static void overlap_get(long first, long count) {
  overlap_weigh(get_nbi, first);
  const double begin = overlap_now();
  for (long i = first + 1; i <= first + count; ++i) {
    block_stamp(local_block, 0);
    shmem_getmem_nbi(local_block, remote_block, length, peer);
    overlap_compute();
    shmem_quiet();
  }
  overlap_tell(begin, count);
}
static void prepare_overlap(long size) {
  prepare_next(size);
  overlap_prepare();
}
static void prepare_overlap_get(long size) {
  prepare_get_next(size);
  overlap_prepare();
}

static const long sizes[] = {64 << 10, 8, 512, 4 << 10, 1 << 20, 0};
static const long windows[] = {64, 1, 8, 256, 1024, 0};
static const long wide[] = {64 << 10, 1 << 20, 0};
enum { alone_sized = bench_alone | bench_bytewise, all_sized = bench_everyone | bench_bytewise };

BENCH_KINDS = {
    {"put_nbi", "pt2pt", "non-blocking put, completed", .streams = 1, .omb = "Put Nonblocking"},
    {"get_nbi", "pt2pt", "non-blocking get, completed", .completion = "local", .streams = 1, .omb = "Get Nonblocking"},
    {"bw.put_blocking", "pt2pt", "bandwidth, blocking puts", .streams = 1},
    {"bw.*", "pt2pt", "bandwidth, 64 in a window", .streams = 1, .radar = true},
    {"bibw.*", "pt2pt", "bandwidth in both directions", .streams = 2},
    {"fan_*", "pt2pt", "all to one or one to all", .streams = bench_all_others},
    {"rate.*", "pt2pt", "8 bytes, by the length of the window", .counts = "{} at once"},
    {"overlap.*", "pt2pt", "communication hidden behind computation", .completion = "remote"},
    {"split.*", "pt2pt", "starting and completing, timed apart", .completion = "remote"}};

static const bench_case cases[] = {
    {"bw.put", "putmem_nbi, quiet every 64", reference_copy_out, prepare, bw_put, put_arrived, all_sized, sizes},
    {"bw.put_blocking", "putmem, quiet at the end", reference_copy_out, prepare, bw_put_blocking, put_arrived,
     all_sized, sizes},
    {"bw.get", "getmem_nbi, quiet every 64", reference_copy_in, prepare_get, bw_get, got_it, all_sized, sizes},
    {"bibw.put", "putmem_nbi, quiet every 64, both ways", reference_copy_both, prepare, bibw_put, both_arrived,
     bench_everyone, sizes},
    {"bibw.get", "getmem_nbi, quiet every 64, both ways", reference_copy_both, prepare_get, bibw_get, both_got_it,
     bench_everyone, sizes},
    {"fan_in", "putmem_nbi, quiet; all to PE 0", reference_copy_out, prepare_fan, fan_in, all_came, all_sized, sizes},
    {"fan_out", "putmem_nbi, quiet; PE 0 to all", reference_copy_out, prepare_fan, fan_out, came, all_sized, sizes},
    {"put_nbi", "putmem_nbi, quiet", reference_copy_out, prepare_next, put_nbi, next_arrived, alone_sized, sizes},
    {"get_nbi", "getmem_nbi, quiet", reference_copy_in, prepare_get_next, get_nbi, next_got, alone_sized, sizes},
    {"rate.put_nbi", "long_put_nbi, quiet after as many as the size says", 0, prepare_rate, rate, rate_arrived,
     bench_alone | bench_own_sizes, windows},
    {"split.put", "putmem_nbi and quiet, timed apart", reference_copy_out, prepare_split, split_put, next_arrived,
     alone_sized, sizes},
    {"overlap.put", "putmem_nbi, as long a computation, quiet", 0, prepare_overlap, overlap_put, next_arrived,
     alone_sized, wide},
    {"overlap.get", "getmem_nbi, as long a computation, quiet", 0, prepare_overlap_get, overlap_get, next_got,
     alone_sized, wide},
    {0}};

BENCH_CASES(bench_two_pes, cases)

// Fault: non-blocking puts move nothing.
// Noticed by: bw.put, bibw.put, put_nbi, fan_in, fan_out, split.put, overlap.put
#ifdef BENCH_FAULT
void shmem_putmem_nbi(void* d, const void* s, size_t n, int pe) {}
#endif

// Fault: every fiftieth non-blocking put is dropped.
// Noticed by: bw.put, bibw.put
#ifdef BENCH_FAULT
void shmem_putmem_nbi(void* d, const void* s, size_t n, int pe) {
  static long k;
  if (++k % 50) memcpy(shmem_ptr(d, pe), s, n);
}
#endif

// Fault: a non-blocking put is short by a byte.
// Noticed by: bw.put, bibw.put, put_nbi, fan_out
#ifdef BENCH_FAULT
void shmem_putmem_nbi(void* d, const void* s, size_t n, int pe) { memcpy(shmem_ptr(d, pe), s, n - 1); }
#endif

// Fault: non-blocking gets bring what was there before.
// Noticed by: bw.get, bibw.get, get_nbi, overlap.get
#ifdef BENCH_FAULT
void shmem_getmem_nbi(void* d, const void* s, size_t n, int pe) {}
#endif
