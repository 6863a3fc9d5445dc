// The machine without any library: two pinned processes run the references alone, then the prices
// of the kernel.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel.h"
#include "reference.h"

int main(int argc, char** argv) {
  static const bench_case* const tables[] = {reference_cases, noise_cases, kernel_cases, NULL};
  static const bench_suite suite = {.program = "limits", .tables = tables};
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
