/* Where the time of a mini-app goes. One phase is on at any moment; the main thread switches. */
#ifndef HALO_TIMERS_H
#define HALO_TIMERS_H

typedef enum phase {
  PHASE_COMPUTE,
  PHASE_PACK,     /* into messages and out of them */
  PHASE_EXCHANGE, /* starting to send */
  PHASE_WAIT,     /* for what others send */
  PHASE_REDUCE,
  PHASES
} phase_t;

double timers_now(void);
/* All to zero; the time counts as computing from here. */
void timers_start(void);
/* Switches, and returns the phase that was on. */
phase_t timers_enter(phase_t phase);
/* Ends the measurement: the time of each phase, and their sum. */
double timers_stop(double seconds[PHASES]);
const char* phase_name(phase_t phase);

#endif
