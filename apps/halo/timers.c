#include "timers.h"

#include <time.h>

static double spent[PHASES], since;
static phase_t current;
static int paused;

double timers_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void timers_start(void) {
  for (int p = 0; p < PHASES; p++) spent[p] = 0.0;
  current = PHASE_COMPUTE;
  since = timers_now();
}

phase_t timers_enter(phase_t phase) {
  const double now = timers_now();
  const phase_t before = current;
  if (!paused) spent[before] += now - since;
  since = now;
  current = phase;
  return before;
}

void timers_pause(int pause) {
  timers_enter(current);
  paused = pause;
}

double timers_stop(double seconds[PHASES]) {
  double sum = 0.0;
  timers_enter(PHASE_COMPUTE);
  for (int p = 0; p < PHASES; p++) sum += seconds[p] = spent[p];
  return sum;
}

const char* phase_name(phase_t phase) {
  static const char* const names[PHASES] = {"compute", "pack", "exchange", "wait", "reduce"};
  return names[phase];
}
