/* The parts that all mini-apps share: the command line, a run for each synchronisation, the report. */
#ifndef HALO_APP_H
#define HALO_APP_H

#include "halo.h"

enum { app_most_numbers = 4, app_most_choices = 2 };

typedef struct app_options {
  long number[app_most_numbers]; /* the arguments that are no options: the size */
  int steps;                     /* 0: the app's own choice */
  int threads;
  int weak;                     /* the size is for each PE */
  unsigned syncs;               /* a set */
  unsigned rotate;              /* the run begins with this way of `syncs`, counted round from the first */
  unsigned delay;               /* seed, or 0 */
  const char* image;            /* or NULL */
  int choice[app_most_choices]; /* for each choice of the app, the index of the chosen value */
} app_options_t;

/* The result of one run with one synchronisation; the same on every PE. */
typedef struct app_result {
  double work;       /* in the app's unit; work per second is the figure of merit */
  uint64_t checksum; /* equal for every synchronisation and number of threads */
  int wrong;         /* differs from the known answer */
  int unchecked;     /* the answer of this run is not known */
} app_result_t;

/* An option whose value is a word, as --potential lj. The first value is the default. */
typedef struct app_choice {
  const char* option;
  const char* const* values; /* then NULL */
} app_choice_t;

typedef struct app {
  const char *name, *usage, *unit;
  int numbers; /* on the command line: all or none */
  app_options_t standard;
  const char* (*own_way)(int index); /* the names that --sync accepts in addition, then NULL; or NULL */
  app_choice_t choice[app_most_choices];
  const char* (*refuse)(const app_options_t*); /* returns NULL, or the reason why these options do not work */
  /* Calls app_clock_start and app_clock_stop around the part that is timed. The app's own way `index` has how = SYNCS +
   * index. `first` is set in the first run, which may print the answer. */
  app_result_t (*run)(const app_options_t*, sync_how_t how, int first);
} app_t;

void app_clock_start(void);
void app_clock_stop(void);
/* The time between these two does not count: for checks between steps. */
void app_clock_pause(void);
void app_clock_resume(void);
/* The time of the last run, in seconds. */
double app_clock(void);

/* For `refuse` of apps that draw nothing. */
const char* app_refuse_image(const app_options_t* o);
/* Reports that there is not enough memory for a run, and ends the job. */
_Noreturn void app_no_memory(const app_t* app);
int app_main(const app_t* app, int argc, char** argv);

#endif
