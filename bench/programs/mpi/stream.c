// Many messages at once, and there and back: the counterparts of ../micro/stream.c and pingpong.c, by RMA and messages.
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "cases.h"

enum { many = 64, place_bytes = block_bytes / 2, tag = 5 };

static size_t length;
static int partner;  // -1: no partner
static bool starts;
static long wrong, passed;

// Messages of a batch go to different slots as far as there is room.
static long places(void) {
  const size_t room = place_bytes / (length + 63);
  return room < 1 ? 1 : room > many ? many : (long)room;
}
static MPI_Aint offset(long i) { return (MPI_Aint)((size_t)(i % places()) * ((length + 63) / 64 * 64)); }

static void prepare(long size) {
  const int half = bench_pes / 2;
  starts = bench_me < half;
  partner = bench_me >= 2 * half ? -1 : starts ? bench_me + half : bench_me - half;
  length = (size_t)size;
  wrong = passed = 0;
  block_begin(length);
  for (int i = 0; i < many; ++i) block_fill(local_block + offset(i));
  memset(window_block, 0, place_bytes);
  window_refresh();
  MPI_Barrier(MPI_COMM_WORLD);
}

// Every slot must hold its last message.
static bool last_arrived(long first, long count) {
  bool ok = true;
  window_refresh();
  for (long i = first + count; i > first && i > first + count - places(); --i)
    ok &= block_arrived(window_block + offset(i), i);
  return ok;
}

static void put_many(long first, long count) {
  for (long i = first + 1; i <= first + count; ++i) {
    if (i > first + count - places()) {
      MPI_Win_flush(partner, window);  // it may be the source of a pending message
      block_stamp(local_block + offset(i), i);
    }
    MPI_Put(local_block + offset(i), (int)length, MPI_BYTE, partner, offset(i), (int)length, MPI_BYTE, window);
    if (i % many == 0) MPI_Win_flush(partner, window);
  }
  MPI_Win_flush(partner, window);
}
static void bw_put(long first, long count) {
  if (partner >= 0 && starts) put_many(first, count);
}
static void bibw_put(long first, long count) {
  if (partner >= 0) put_many(first, count);
}
static bool put_arrived(long first, long count) { return partner < 0 || starts || last_arrived(first, count); }
static bool both_arrived(long first, long count) { return partner < 0 || last_arrived(first, count); }

static void prepare_get(long size) {
  prepare(size);
  for (int i = 0; i < many; ++i) {
    block_fill(window_block + offset(i));
    block_stamp(window_block + offset(i), bench_me + 1);
  }
  window_refresh();
  MPI_Barrier(MPI_COMM_WORLD);
}
static void bw_get(long first, long count) {
  if (partner < 0 || !starts) return;
  for (long i = first + 1; i <= first + count; ++i) {
    if (i == first + count) block_stamp(local_block + offset(i), 0);
    MPI_Get(local_block + offset(i), (int)length, MPI_BYTE, partner, offset(i), (int)length, MPI_BYTE, window);
    if (i % many == 0) MPI_Win_flush(partner, window);
  }
  MPI_Win_flush(partner, window);
}
static bool got_it(long first, long count) {
  return partner < 0 || !starts || block_arrived(local_block + offset(first + count), partner + 1);
}

// ---- messages: windows of Isend and Irecv, and a reply at the end

static void exchange_window(long from, long last) {
  static MPI_Request requests[many];
  int n = 0;
  for (long i = from + 1; i <= last; ++i) {
    unsigned char* const at = (starts ? local_block : window_block) + offset(i);
    if (starts) {
      block_stamp(at, i);
      MPI_Isend(at, (int)length, MPI_BYTE, partner, tag, MPI_COMM_WORLD, &requests[n++]);
    } else {
      MPI_Irecv(at, (int)length, MPI_BYTE, partner, tag, MPI_COMM_WORLD, &requests[n++]);
    }
  }
  for (int k = 0; k < n; ++k) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
}
static void bw_two_sided(long first, long count) {
  for (long done = 0; partner >= 0 && done < count; done += places())
    exchange_window(first + done, first + (done + places() < count ? done + places() : count));
  long word = first + count;
  if (partner >= 0 && starts) MPI_Recv(&word, 1, MPI_LONG, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (partner >= 0 && !starts) MPI_Send(&word, 1, MPI_LONG, partner, tag, MPI_COMM_WORLD);
  wrong += word != first + count;
}
static bool all_received(long first, long count) { return wrong == 0 && put_arrived(first, count); }

// ---- there and back

static void send_block(long i) {
  block_stamp(local_block, i);
  MPI_Send(local_block, (int)length, MPI_BYTE, partner, tag, MPI_COMM_WORLD);
}
static void take_block(long i) {
  MPI_Recv(window_block, (int)length, MPI_BYTE, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wrong += !block_arrived(window_block, i);
}
static void pp_two_sided(long first, long count) {
  for (long i = first + 1; partner >= 0 && i <= first + count; ++i) {
    if (starts) send_block(i);
    take_block(i);
    if (!starts) send_block(i);
  }
  passed = first + count;
}

// The same by Put: data, and after its completion a flag, which the partner polls.
enum { flag_at = block_bytes - 4096 };

static void put_flag(long i) {
  block_stamp(local_block, i);
  MPI_Put(local_block, (int)length, MPI_BYTE, partner, 0, (int)length, MPI_BYTE, window);
  MPI_Win_flush(partner, window);
  MPI_Put(&i, 1, MPI_LONG, partner, flag_at, 1, MPI_LONG, window);
  MPI_Win_flush(partner, window);
}
static void take_flag(long i) {
  const volatile long* const flag = (const volatile long*)(const void*)(window_block + flag_at);
  while (*flag < i) {
    int waiting = 0;  // some libraries move puts only during calls of the target
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, MPI_STATUS_IGNORE);
    window_refresh();
  }
  wrong += !block_arrived(window_block, i);
}
static void pp_flag(long first, long count) {
  for (long i = first + 1; partner >= 0 && i <= first + count; ++i) {
    if (starts) put_flag(i);
    take_flag(i);
    if (!starts) put_flag(i);
  }
  passed = first + count;
}
static void prepare_flag(long size) {
  *(long*)(void*)(window_block + flag_at) = 0;
  prepare(size < flag_at ? size : flag_at);
}
static bool played(long first, long count) { return wrong == 0 && passed == first + count; }

static const long sizes[] = {64 << 10, 8, 512, 4 << 10, 1 << 20, 0};
enum { helped = bench_everyone | bench_assisted | bench_bytewise };

static const bench_case cases[] = {
    {"bw.put", "Put, flush every 64", reference_copy_out, prepare, bw_put, put_arrived, helped, sizes},
    {"bw.get", "Get, flush every 64", reference_copy_in, prepare_get, bw_get, got_it, helped, sizes},
    {"bibw.put", "Put, flush every 64, both ways", reference_copy_both, prepare, bibw_put, both_arrived,
     bench_everyone | bench_assisted, sizes},
    {"bw.two_sided", "Isend, Irecv, 64 at most", reference_copy_out, prepare, bw_two_sided, all_received,
     bench_everyone | bench_bytewise, sizes},
    {"pp_flag", "Put, flush, Put of a flag, flush; Win_sync until it is there", reference_message, prepare_flag,
     pp_flag, played, bench_pairs | bench_bytewise, sizes},
    {"pp_two_sided", "Send; Recv", reference_message, prepare, pp_two_sided, played, bench_pairs | bench_bytewise,
     sizes},
    {0}};

BENCH_CASES(bench_two_pes, cases)
