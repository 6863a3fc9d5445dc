// Performance variables of waits: a wait that lasts counts once, and its sleeps count. Between nodes calls poll the
// network. Nothing counts without a start.
// @extension
// @run pes=2
#include <shmemx.h>
#include <time.h>

#include "check.h"

enum { attempts = 20 };

static long flag, has_slept;

static uint64_t read_all(int pvar) { return shmemx_pvar_read(pvar, SHMEMX_PVAR_ALL_PES); }

static void wait_for_peer(long value) {
  if (shmem_my_pe() == 0) {
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    shmem_long_p(&flag, value, 1);
    shmem_quiet();
  } else {
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, value);
  }
}

// Waits of PE 1 until it has slept in one of them. On a busy machine it may begin a wait too late for that.
static void check_a_wait(void) {
  for (long i = 0; i < attempts && !has_slept; i++) {
    const uint64_t waits = read_all(SHMEMX_PVAR_LONG_WAITS), sleeps = read_all(SHMEMX_PVAR_SLEEPS);
    wait_for_peer(2 + i);
    if (shmem_my_pe() == 1 && read_all(SHMEMX_PVAR_SLEEPS) > sleeps) {
      CHECK(read_all(SHMEMX_PVAR_LONG_WAITS) == waits + 1, "%llu waits",
            (unsigned long long)(read_all(SHMEMX_PVAR_LONG_WAITS) - waits));
      has_slept = 1;
      shmem_long_p(&has_slept, 1, 0);
    }
    shmem_barrier_all();
  }
  CHECK(has_slept, "no sleep");
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  wait_for_peer(1);
  CHECK(read_all(SHMEMX_PVAR_LONG_WAITS) == 0 && read_all(SHMEMX_PVAR_SLEEPS) == 0, "counted before the start");
  CHECK(shmemx_pvar_start() == 0, "no memory");
  check_a_wait();
  if (me == 1)
    CHECK((read_all(SHMEMX_PVAR_POLLS) > 0) == (shmem_ptr(&flag, 0) == NULL), "%llu polls",
          (unsigned long long)read_all(SHMEMX_PVAR_POLLS));
  shmemx_pvar_stop();
  const uint64_t slept = read_all(SHMEMX_PVAR_SLEEPS), polled = read_all(SHMEMX_PVAR_POLLS);
  wait_for_peer(2 + attempts);
  CHECK(read_all(SHMEMX_PVAR_SLEEPS) == slept && read_all(SHMEMX_PVAR_POLLS) == polled, "counted after the stop");
  shmem_finalize();
  return 0;
}
