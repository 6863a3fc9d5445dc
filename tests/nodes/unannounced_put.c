// A waiter looks at its memory often, if the network does not announce puts: it naps for 25 us at a time. The last PE
// takes naps of the same length until PE 0, which waits for its put, has taken a number of naps. On a busy machine the
// naps of both take longer, so their numbers are alike under any load. PEs 0 and 1 share a node, so that PE 0 cannot
// know which PE will end its wait.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 3, naps_of_waiter = 200, most_naps = 20 };  // most_naps: of the last PE, for each nap of the waiter

static long waiter_pid;
static long long sent;

// How often the main thread of a process has given up its CPU in order to sleep.
static long naps_of(long pid) {
  char name[64], line[128];
  long naps = -1;
  snprintf(name, sizeof name, "/proc/%ld/task/%ld/status", pid, pid);
  FILE* status = fopen(name, "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "voluntary_ctxt_switches: %ld", &naps) == 1) break;
  if (status != NULL) fclose(status);
  return naps;
}

static long own_naps_until_waiter_has_napped(void) {
  const long pid = shmem_long_g(&waiter_pid, 0), before = naps_of(pid);
  long naps = 0;
  for (; naps_of(pid) - before < naps_of_waiter && naps <= most_naps * naps_of_waiter; naps++)
    nanosleep(&(struct timespec){0, 25000}, NULL);
  return naps;
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), writer = shmem_n_pes() - 1;
  waiter_pid = getpid();
  int status = 0;
  for (int i = 1; i <= rounds; i++) {
    shmem_barrier_all();
    if (me == writer) {
      const long naps = own_naps_until_waiter_has_napped();
      printf("%ld naps while the waiter took %d\n", naps, naps_of_waiter);
      status |= naps > most_naps * naps_of_waiter;
      shmem_longlong_p(&sent, i, 0);
    }
    if (me == 0) shmem_longlong_wait_until(&sent, SHMEM_CMP_EQ, i);
  }
  shmem_barrier_all();
  shmem_finalize();
  return status;
}
