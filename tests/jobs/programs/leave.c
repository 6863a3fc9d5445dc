/* One PE leaves in some way, while the others wait somewhere.   leave <how> <where> [PE, by default the last]
 * "with": all PEs leave in this way together. The output of the others stays in their buffers until they end. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long lock, flag;
static volatile int* volatile nowhere;

static void leave(const char* how) {
  if (!strcmp(how, "exit3")) exit(3);
  if (!strcmp(how, "_exit0")) _exit(0);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) *nowhere = 1;
  if (!strcmp(how, "global0")) shmem_global_exit(0);
  if (!strcmp(how, "global7")) shmem_global_exit(7);
  if (!strcmp(how, "exit0")) exit(0);
}

static void wait_at(const char* where) {
  if (!strcmp(where, "barrier")) shmem_barrier_all();
  if (!strcmp(where, "wait")) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  if (!strcmp(where, "lock")) shmem_set_lock(&lock);
  if (!strcmp(where, "compute"))
    for (volatile long i = 0;; i++) continue;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char *how = argv[1], *where = argv[2];
  if (!strcmp(how, "start_pes"))
    start_pes(0);
  else
    shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  const int leaver = argc > 3 ? atoi(argv[3]) : n - 1;
  static char buffer[BUFSIZ];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  printf("PE %d was here\n", me);
  if (!strcmp(where, "with")) {
    leave(how);
    return 0; /* how = return, start_pes */
  }
  if (!strcmp(where, "lock") && me == leaver) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (me == leaver) {
    usleep(200000); /* the others wait by now, most of them asleep */
    leave(how);
    return 0;
  }
  wait_at(where);
  return 0;
}
