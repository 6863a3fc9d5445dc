/* A PE that waits goes on in the middle of the other PE's steps: between the step that wakes it and the store. With
 * ATOMIC for a flag, or with LOCK for a lock. */
#include <shmem.h>
#include <stdio.h>

static long flag, ready, lock, data;

#ifdef ATOMIC
static void hold(void) {}
static void wake(void) { shmem_long_atomic_fetch_inc(&flag, 1); }
static void await(void) { shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1); }
#else
static void hold(void) { shmem_set_lock(&lock); }
static void wake(void) { shmem_clear_lock(&lock); }
static void await(void) { shmem_set_lock(&lock); }
#endif

int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0) {
    hold();
    shmem_barrier_all();
    shmem_long_wait_until(&ready, SHMEM_CMP_EQ, 1);
    wake();
    *(volatile long*)&data = 1;
  } else {
    shmem_barrier_all();
    shmem_long_atomic_fetch_inc(&ready, 0);
    await();
    printf("data=%ld\n", shmem_long_g(&data, 0));
  }
  shmem_finalize();
  return 0;
}
