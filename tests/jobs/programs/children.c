/* A PE makes child processes in every usual way; none may disturb it, its peers or its globals.   children <kind> */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../support/check.h"

static long data = 5, inbox;

static int status_of(pid_t child) {
  int status = -1;
  require(waitpid(child, &status, 0) == child, "waitpid finds the child");
  return status;
}

static void forked(int how_it_leaves) {
  const pid_t child = fork();
  require(child >= 0, "fork succeeds");
  if (child == 0) {
    data = -1;                       /* its own copy */
    if (how_it_leaves == 0) exit(0); /* runs the exit handlers, including the library's */
    if (how_it_leaves == 1) exit(9);
    if (how_it_leaves == 2) abort();
    execlp("sh", "sh", "-c", "exit 4", (char*)NULL);
    _exit(127);
  }
  const int status = status_of(child);
  if (how_it_leaves == 0) require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "exit(0) of a child is 0");
  if (how_it_leaves == 1) require(WIFEXITED(status) && WEXITSTATUS(status) == 9, "exit(9) of a child is 9");
  if (how_it_leaves == 2) require(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "abort of a child");
  if (how_it_leaves == 3) require(WIFEXITED(status) && WEXITSTATUS(status) == 4, "exec of a child");
}

static void piped(void) {
  char line[64] = "";
  FILE* pipe = popen("echo from below; exit 6", "r");
  require(pipe != NULL, "popen succeeds");
  require(fgets(line, sizeof line, pipe) != NULL && !strcmp(line, "from below\n"), "a line comes through popen");
  const int status = pclose(pipe);
  require(WIFEXITED(status) && WEXITSTATUS(status) == 6, "pclose gives the status");
}

static void make(const char* kind) {
  if (!strcmp(kind, "exit0")) forked(0);
  if (!strcmp(kind, "exit9")) forked(1);
  if (!strcmp(kind, "abort")) forked(2);
  if (!strcmp(kind, "exec")) forked(3);
  if (!strcmp(kind, "system")) require(system("exit 3") == 3 << 8, "system gives the status");
  if (!strcmp(kind, "popen")) piped();
  if (!strcmp(kind, "page")) /* the job page of oshrun: a process that has it is a PE */
    require(system("test -n \"$OSHEN_JOB_FD\" && ! test -e /proc/self/fd/$OSHEN_JOB_FD") == 0, "a program has no page");
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  for (int round = 0; round < 3; round++) {
    if (argc > 1 && me != 0) make(argv[1]); /* PE 0 waits meanwhile */
    require(data == 5 + round, "a child wrote its parent's globals");
    data++;
    shmem_long_atomic_add(&inbox, 1, 0);
    shmem_barrier_all();
  }
  require(me != 0 || inbox == 3L * n, "all adds arrived");
  if (me == 0) printf("right\n");
  shmem_finalize();
  return 0;
}
