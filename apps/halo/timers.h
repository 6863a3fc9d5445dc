/* Measures the time of each phase of a mini-app. One phase is active at any moment; the main thread switches. */
#ifndef HALO_TIMERS_H
#define HALO_TIMERS_H

typedef enum phase {
  PHASE_COMPUTE,
  PHASE_PACK,     /* copying into messages and out of them */
  PHASE_EXCHANGE, /* starting to send */
  PHASE_WAIT,     /* waiting for messages */
  PHASE_REDUCE,
  PHASES
} phase_t;

double timers_now(void);
/* While the timers pause, no time is measured. */
void timers_pause(int pause);
/* Sets all times to zero and enters the phase of computing. */
void timers_start(void);
/* Switches to a phase, and returns the one before. */
phase_t timers_enter(phase_t phase);
/* Ends the measurement: stores the time of each phase, and returns their sum. */
double timers_stop(double seconds[PHASES]);
const char* phase_name(phase_t phase);

#endif
