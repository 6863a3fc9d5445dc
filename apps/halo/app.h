/* What all mini-apps share: the command line, a run for each synchronisation, the report. */
#ifndef HALO_APP_H
#define HALO_APP_H

#include "halo.h"

enum { app_most_numbers = 4 };

typedef struct app_options {
  long number[app_most_numbers]; /* what stands alone on the command line: the size */
  int steps;                     /* 0: the app's own choice */
  int threads;
  int weak;          /* the size is for each PE */
  unsigned syncs;    /* a set */
  unsigned delay;    /* seed, or 0 */
  const char* image; /* or NULL */
  int choice;        /* which of the app's choices */
} app_options_t;

/* How one run with one synchronisation ended; the same on every PE. */
typedef struct app_result {
  double work;       /* in the app's unit; per second it is the figure of merit */
  uint64_t checksum; /* equal for every synchronisation and number of threads */
  int wrong;         /* differs from the known answer */
} app_result_t;

typedef struct app {
  const char *name, *usage, *unit;
  int numbers; /* on the command line: all or none */
  app_options_t standard;
  const char* (*own_way)(int index); /* what --sync takes besides: names, then NULL; or NULL */
  const char* choice;                /* an option of the app's own, or NULL, and the words that it takes, then NULL */
  const char* const* choices;
  const char* (*refuse)(const app_options_t*); /* NULL, or why these options do not work */
  /* Calls app_clock_start and app_clock_stop around what counts. An own way has how = SYNCS + index.
   * `first`: the first run, which may print what the answer is. */
  app_result_t (*run)(const app_options_t*, sync_how_t how, int first);
} app_t;

void app_clock_start(void);
void app_clock_stop(void);
/* Of the last run, in seconds. */
double app_clock(void);

/* For `refuse` of apps that compute with one thread and draw nothing. */
const char* app_refuse_threads(const app_options_t* o);
/* Not enough memory for a run: says so and ends the job. */
_Noreturn void app_no_memory(const app_t* app);
int app_main(const app_t* app, int argc, char** argv);

#endif
