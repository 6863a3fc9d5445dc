// Measures how late a waiter sees a put of another node that the network does not announce: untold_put MICROSECONDS.
// The median may be at most that. PEs 0 and 1 share a node, so that PE 0 cannot know which PE will end its wait.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { rounds = 40 };

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int by_size(const void* a, const void* b) {
  const long long x = *(const long long*)a, y = *(const long long*)b;
  return (x > y) - (x < y);
}

static long long sent, seen;

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe(), writer = shmem_n_pes() - 1;
  const long long limit = argc > 1 ? atoll(argv[1]) : 100;
  long long late[rounds];
  for (int i = 0; i < rounds; i++) {
    shmem_barrier_all();
    if (me == writer) {
      const struct timespec pause = {0, 40000000};  // the waiter sleeps by now
      nanosleep(&pause, NULL);
      shmem_longlong_p(&sent, now_ns(), 0);
      shmem_longlong_wait_until(&seen, SHMEM_CMP_EQ, i + 1);  // a message of a barrier would wake PE 0
    }
    if (me == 0) {
      shmem_longlong_wait_until(&sent, SHMEM_CMP_NE, 0);
      late[i] = now_ns() - sent;
      sent = 0;
      shmem_longlong_p(&seen, i + 1, writer);
    }
  }
  int status = 0;
  if (me == 0) {
    qsort(late, rounds, sizeof *late, by_size);
    printf("median %lld us, worst %lld us\n", late[rounds / 2] / 1000, late[rounds - 1] / 1000);
    status = late[rounds / 2] / 1000 > limit;
  }
  shmem_barrier_all();
  shmem_finalize();
  return status;
}
