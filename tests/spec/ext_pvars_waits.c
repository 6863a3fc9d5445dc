// Performance variables of waits: a wait that lasts counts once, and its sleeps count. Between nodes calls poll the
// network. Nothing counts without a start.
// @extension
// @run pes=2
#include <shmemx.h>
#include <time.h>

#include "check.h"

static long flag;

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

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  wait_for_peer(1);
  CHECK(read_all(SHMEMX_PVAR_LONG_WAITS) == 0 && read_all(SHMEMX_PVAR_SLEEPS) == 0, "counted before the start");
  CHECK(shmemx_pvar_start() == 0, "no memory");
  const uint64_t waits = read_all(SHMEMX_PVAR_LONG_WAITS);
  wait_for_peer(2);
  if (me == 1) {
    CHECK(read_all(SHMEMX_PVAR_LONG_WAITS) == waits + 1, "%llu waits",
          (unsigned long long)read_all(SHMEMX_PVAR_LONG_WAITS));
    CHECK(read_all(SHMEMX_PVAR_SLEEPS) > 0, "no sleep");
    CHECK((read_all(SHMEMX_PVAR_POLLS) > 0) == (shmem_ptr(&flag, 0) == NULL), "%llu polls",
          (unsigned long long)read_all(SHMEMX_PVAR_POLLS));
  }
  shmemx_pvar_stop();
  const uint64_t slept = read_all(SHMEMX_PVAR_SLEEPS), polled = read_all(SHMEMX_PVAR_POLLS);
  wait_for_peer(3);
  CHECK(read_all(SHMEMX_PVAR_SLEEPS) == slept && read_all(SHMEMX_PVAR_POLLS) == polled, "counted after the stop");
  shmem_finalize();
  return 0;
}
