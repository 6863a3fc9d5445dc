/* Two PEs whose parent starts them by vfork and does not reap them, as Python and many job systems do: a PE that has
 * ended stays a zombie.   unreaped <how>: the action of PE 1 while PE 0 waits in a barrier. */
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <shmemx.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PES = 2, ROOM = 4096 };
static struct {
  atomic_int arrived, generation;
  char blob[PES][ROOM];
}* ours;
static int me;

static int barrier(void* unused) {
  const int generation = ours->generation;
  (void)unused;
  if (atomic_fetch_add(&ours->arrived, 1) == PES - 1) {
    ours->arrived = 0;
    ours->generation = generation + 1;
  }
  while (ours->generation == generation) sched_yield();
  return 0;
}
static int allgather(void* unused, const void* mine, void* all, size_t bytes) {
  if (bytes > ROOM) return 1;
  memcpy(ours->blob[me], mine, bytes);
  barrier(unused);
  for (int pe = 0; pe < PES; pe++) memcpy((char*)all + (size_t)pe * bytes, ours->blob[pe], bytes);
  return barrier(unused);
}
static void give_up(void* unused, int status) {
  (void)unused;
  _exit(status);
}

static void go_wrong(const char* how) {
  if (!strcmp(how, "killed")) raise(SIGKILL);
  if (!strcmp(how, "exits")) _exit(0);
  if (!strcmp(how, "execs")) execl("/bin/sleep", "sleep", "60", (char*)NULL);
  if (!strcmp(how, "closes")) { /* closes all unknown descriptors, as daemons do */
    for (int fd = 3; fd < 256; fd++) close(fd);
    sleep(2);
  }
}

static int be_a_pe(const char* how) {
  shmemx_init_attr_t attr = {
      .size = sizeof attr, .pe = me, .n_pes = PES, .allgather = allgather, .barrier = barrier, .abort = give_up};
  if (shmemx_init_attr(&attr) != 0) return 9;
  if (me == 1) go_wrong(how);
  shmem_barrier_all();
  if (me == 0) puts("past the barrier");
  fflush(stdout);
  if (strcmp(how, "closes"))
    shmem_finalize();
  else if (me == 1)
    pause(); /* lives until PE 0 has passed the barrier, because PE 0 reports a PE that ends without shmem_finalize */
  return 0;
}

int main(int argc, char** argv) {
  pid_t pids[PES];
  int status = 0;
  if (argc != 2) return 2;
  ours = mmap(NULL, sizeof *ours, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (me = 0; me < PES; me++)
    if ((pids[me] = fork()) == 0) _exit(be_a_pe(argv[1]));
  waitpid(pids[0], &status, 0);
  kill(pids[1], SIGKILL);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
