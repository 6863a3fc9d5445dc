/* Uses everything that depends on the environment, and checks the results: static and heap memory, atomics, a
 * collective, and a wait that is long enough to sleep. PE 0 prints "right". ring [undumpable] [late] [seconds of sleep]
 * late: PE 1 begins its initialisation this many seconds late, or when SIGUSR1 wakes it. PE 0 does not sleep then. */
#include <dirent.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../support/check.h"

static long inbox, counter, me_plus_1, sum;

/* Checks that other processes, even of this user, can no longer access our descriptors. */
static int proc_is_closed(void) {
  char folder[32];
  int status = 0;
  snprintf(folder, sizeof folder, "/proc/%d/fd", (int)getpid());
  const pid_t other = fork();
  if (other == 0) _exit(opendir(folder) == NULL);
  waitpid(other, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void go_round(int me, int n, long* heap) {
  const int right = (me + 1) % n, left = (me + n - 1) % n;
  *heap = -1;
  shmem_barrier_all();
  shmem_long_p(heap, me, right);
  shmem_long_atomic_add(&counter, me + 1, 0);
  shmem_barrier_all();
  require(*heap == left, "the heap has the left neighbour's number");
  require(me != 0 || counter == (long)n * (n + 1) / 2, "atomic adds of all PEs arrived");
  me_plus_1 = me + 1;
  require(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &me_plus_1, 1) == 0, "reduce succeeds");
  require(sum == (long)n * (n + 1) / 2, "the sum over all PEs");
}

/* Passes a token round while all other PEs sleep in a wait. */
static void pass_token(int me, int n, double seconds) {
  if (me == 0) {
    usleep((useconds_t)(seconds * 1e6));
    shmem_long_p(&inbox, 1, 1 % n);
  }
  shmem_long_wait_until(&inbox, SHMEM_CMP_NE, 0);
  require(inbox == (me == 0 ? n : me), "the token counted the PEs");
  if (me != 0) shmem_long_p(&inbox, inbox + 1, (me + 1) % n);
}

static void wake(int unused) { (void)unused; }

int main(int argc, char** argv) {
  double seconds = 0.1;
  const char* number = getenv("OSHEN_PE");
  int late = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "undumpable")) {
      prctl(PR_SET_DUMPABLE, 0);
      if (!proc_is_closed()) return 77;
    } else if (!strcmp(argv[i], "late")) {
      late = 1;
    } else {
      seconds = atof(argv[i]);
    }
  }
  if (late) {
    signal(SIGUSR1, wake);
    if (number != NULL && atoi(number) == 1) usleep((useconds_t)(seconds * 1e6));
    seconds = 0;
  }
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  long* heap = shmem_malloc(sizeof *heap);
  require(heap != NULL, "heap != NULL");
  go_round(me, n, heap);
  if (n > 1) pass_token(me, n, seconds);
  shmem_barrier_all();
  if (me == 0) printf("right %d\n", n);
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
