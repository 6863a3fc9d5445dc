// The machine without any library: two pinned processes run the references, then kernel calls.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference.h"

int main(int argc, char** argv) {
  static const bench_suite suite = {.program = "limits"};
  bench_register(bench_any_pes, reference_cases);
  const pid_t peer = fork();
  if (peer < 0) {
    perror("limits: fork");
    return 2;
  }
  if (peer == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  const long failed = bench_run(&suite, peer == 0 ? 1 : 0, 2, argc, argv);
  if (peer == 0) return failed != 0;
  int status = 0;
  waitpid(peer, &status, 0);
  return failed != 0 || status != 0;
}
