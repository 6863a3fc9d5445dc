/* A PE of a job that fails: the argument selects the failure of the last PE; the others wait. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* wanted;
static int cell;

static int asked(const char* name) { return strcmp(wanted, name) == 0; }

/* The failure of the last PE, which does not reach the barrier. */
static void go_wrong(void) {
  if (asked("killed")) raise(SIGKILL);
  if (asked("crash")) raise(SIGSEGV);
  if (asked("exit")) exit(7);
  if (asked("quick-exit")) _exit(0);
  if (asked("global-exit")) shmem_global_exit(42);
  if (asked("stuck")) sleep(1000);
  if (asked("bad-pe")) shmem_int_p(&cell, 1, shmem_n_pes());
}

/* Children of a PE: one that it waits for, one that it leaves behind in a session of its own. */
static void have_children(void) {
  const pid_t child = fork();
  if (child == 0) _exit(5);
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) != 5) exit(90);
  if (system("sleep 1000 & setsid sleep 1000 & true") != 0) exit(91);
}

int main(int argc, char** argv) {
  wanted = argc > 1 ? argv[1] : "";
  const char* number = getenv("OSHEN_PE");
  if (asked("stay-away") && number != NULL && atoi(number) == 0) return 0;
  shmem_init();
  const int last = shmem_my_pe() == shmem_n_pes() - 1;
  shmem_barrier_all();
  if (asked("children")) have_children();
  puts("up");
  fflush(stdout);
  if (last) go_wrong();
  if (asked("loop"))
    for (;;) shmem_barrier_all();
  shmem_barrier_all();
  if (asked("no-finalize")) return 0;
  shmem_finalize();
  for (int i = 0; asked("again") && i < 3; ++i) {
    shmem_init();
    shmem_barrier_all();
    shmem_finalize();
  }
  return 0;
}
