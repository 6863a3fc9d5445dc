// Stops the process of a PE on this machine, for tests of calls that must not wait for their target.
#pragma once

#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "check.h"

// The state that the kernel shows: 'T' is stopped.
static inline char state_of(long pid) {
  char name[64], state = '?';
  snprintf(name, sizeof name, "/proc/%ld/stat", pid);
  FILE* stat = fopen(name, "r");
  if (stat != NULL && fscanf(stat, "%*d (%*[^)]) %c", &state) != 1) state = '?';
  if (stat != NULL) fclose(stat);
  return state;
}

// Returns when the kernel shows the process as stopped.
static inline void stop(long pid) {
  CHECK(kill((pid_t)pid, SIGSTOP) == 0, "cannot stop process %ld", pid);
  while (state_of(pid) != 'T') nanosleep(&(struct timespec){0, 1000000}, NULL);
}
