#include "app.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the command line */

enum { why_size = 500 };

static int number(const char* word, long least, long most, long* to) {
  char* end;
  *to = strtol(word, &end, 10);
  return end != word && *end == '\0' && *to >= least && *to <= most;
}

static unsigned ways(void) { return halo_offers() | sync_added(); }

static const app_choice_t* find_choice(const app_t* app, const char* option) {
  for (const app_choice_t* c = app->choice; c < app->choice + app_most_choices; c++)
    if (c->option != NULL && strcmp(option, c->option) == 0) return c;
  return NULL;
}

static int choose(const app_choice_t* choice, const char* value, int* to, char* why) {
  int length = snprintf(why, why_size, "%s %s: one of these is expected:", choice->option, value);
  for (int i = 0; choice->values[i] != NULL; i++) {
    if (strcmp(choice->values[i], value) == 0) return *to = i, 1;
    if (length < why_size) length += snprintf(why + length, (size_t)(why_size - length), " %s", choice->values[i]);
  }
  return 0;
}

static int option(const app_t* app, const char* name, const char* value, app_options_t* o, char* why) {
  long n = 0;
  char names[300];
  const char* bad = NULL;
  const app_choice_t* choice = find_choice(app, name);
  if (strcmp(name, "--sync") == 0) {
    if ((o->syncs = sync_parse(value, ways(), &bad)) != 0) return 1;
    sync_names(ways(), names, sizeof names);
    snprintf(why, why_size, "--sync %.*s: with %s there are: %s, all", (int)strcspn(bad, ","), bad, halo_transport(),
             names);
  } else if (strcmp(name, "--threads") == 0) {
    if (number(value, 1, 1024, &n)) return o->threads = (int)n, 1;
    snprintf(why, why_size, "--threads %s: a number from 1 to 1024 is expected", value);
  } else if (strcmp(name, "--steps") == 0) {
    if (number(value, 1, 1000000, &n)) return o->steps = (int)n, 1;
    snprintf(why, why_size, "--steps %s: a number from 1 to 1000000 is expected", value);
  } else if (strcmp(name, "--rotate") == 0) {
    if (number(value, 0, 1000000, &n)) return o->rotate = (unsigned)n, 1;
    snprintf(why, why_size, "--rotate %s: a number from 0 to 1000000 is expected", value);
  } else if (strcmp(name, "--delay") == 0) {
    if (number(value, 1, 1000000, &n)) return o->delay = (unsigned)n, 1;
    snprintf(why, why_size, "--delay %s: a seed from 1 to 1000000 is expected", value);
  } else if (strcmp(name, "--scaling") == 0) {
    o->weak = strcmp(value, "weak") == 0;
    if (o->weak || strcmp(value, "strong") == 0) return 1;
    snprintf(why, why_size, "--scaling %s: strong or weak is expected", value);
  } else if (strcmp(name, "--image") == 0) {
    return o->image = value, 1;
  } else if (choice != NULL) {
    return choose(choice, value, &o->choice[choice - app->choice], why);
  } else {
    snprintf(why, why_size, "%s: no such option", name);
  }
  return 0;
}

static int parse(const app_t* app, int argc, char** argv, app_options_t* o, char* why) {
  int given = 0;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') {
      if (i + 1 == argc) return snprintf(why, why_size, "%s: needs a value", argv[i]), 0;
      if (!option(app, argv[i], argv[i + 1], o, why)) return 0;
      i++;
    } else if (given == app->numbers || !number(argv[i], 1, 1L << 31, &o->number[given++])) {
      return snprintf(why, why_size, "%s: not a size, or one too many", argv[i]), 0;
    }
  }
  if (given != 0 && given != app->numbers)
    return snprintf(why, why_size, "%d numbers are expected, or none", app->numbers), 0;
  return 1;
}

/* ---- the clock */

static double spent[PHASES], total;

void app_clock_start(void) {
  halo_barrier();
  timers_start();
}

void app_clock_stop(void) { total = halo_max(timers_stop(spent)); }

void app_clock_pause(void) { timers_pause(1); }

void app_clock_resume(void) { timers_pause(0); }

double app_clock(void) { return total; }

/* ---- the runs */

enum { status_wrong = 1, status_unchecked = 5 };

static const char* verdict(int wrong, int unchecked) { return wrong ? "WRONG" : unchecked ? "unchecked" : "right"; }

/* Prints each phase's share of the time, as the mean over the PEs. */
static void print_run(const app_t* app, sync_how_t how, const app_result_t* r) {
  double share[PHASES], sum = 0.0;
  for (int p = 0; p < PHASES; p++) sum += share[p] = halo_sum(spent[p]);
  if (halo_me() != 0) return;
  printf("%-17s %9.6f s %11.4g %s ", sync_name(how), total, r->work / total, app->unit);
  for (int p = 0; p < PHASES; p++) printf(" %s %.0f%%", phase_name((phase_t)p), 100 * share[p] / sum);
  printf("  %016llx %s\n", (unsigned long long)r->checksum, verdict(r->wrong, r->unchecked));
  fflush(stdout);
}

/* Writes the ways of a run in their order into `to`; returns their number. */
static unsigned in_order(const app_options_t* o, sync_how_t to[CHAR_BIT * sizeof(unsigned)]) {
  sync_how_t chosen[CHAR_BIT * sizeof(unsigned)];
  unsigned n = 0;
  for (unsigned how = 0; o->syncs >> how != 0; how++)
    if ((o->syncs & 1u << how) != 0) chosen[n++] = (sync_how_t)how;
  for (unsigned i = 0; i < n; i++) to[i] = chosen[(o->rotate + i) % n];
  return n;
}

/* The verdict of all runs so far. */
typedef struct outcome {
  int wrong, unchecked, known;
  uint64_t checksum; /* of the first run that is right; known if there is one */
} outcome_t;

/* All runs must have the same bits. A known answer with a tolerance would not show an error below it. */
static void compare(outcome_t* all, app_result_t* r) {
  if (!all->known && !r->wrong) {
    all->checksum = r->checksum;
    all->known = 1;
  }
  r->wrong |= all->known && r->checksum != all->checksum;
  all->wrong |= r->wrong;
  all->unchecked |= r->unchecked;
}

/* The first printed run would otherwise pay for pages, caches and connections that the others find. One way alone gets
 * a second run to be compared with. */
static void warm_up(const app_t* app, const app_options_t* o, sync_how_t how, outcome_t* all) {
  halo_delay(o->delay);
  app_result_t r = app->run(o, how, 0);
  compare(all, &r);
  if (r.wrong && halo_me() == 0) printf("warm-up with %s: WRONG\n", sync_name(how));
}

/* Returns the exit status. */
static int run_all(const app_t* app, const app_options_t* o) {
  sync_how_t order[CHAR_BIT * sizeof(unsigned)];
  const unsigned ways_to_run = in_order(o, order);
  outcome_t all = {0};
  warm_up(app, o, order[ways_to_run - 1], &all);
  for (unsigned i = 0; i < ways_to_run; i++) {
    halo_delay(o->delay);
    app_result_t r = app->run(o, order[i], i == 0);
    compare(&all, &r);
    print_run(app, order[i], &r);
  }
  if (halo_me() == 0) {
    printf("checksum %016llx\n", (unsigned long long)all.checksum);
    printf("result   %s\n", verdict(all.wrong, all.unchecked));
    fflush(stdout);
  }
  return all.wrong ? status_wrong : all.unchecked ? status_unchecked : 0;
}

const char* app_refuse_image(const app_options_t* o) {
  return o->image != NULL ? "--image: there is no picture of this" : NULL;
}

_Noreturn void app_no_memory(const app_t* app) {
  fprintf(stderr, "%s: PE %d: not enough memory for this size%s\n", app->name, halo_me(),
          strcmp(halo_transport(), "MPI") == 0 ? "" : "; set SHMEM_SYMMETRIC_SIZE");
  halo_abort(3);
}

int app_main(const app_t* app, int argc, char** argv) {
  app_options_t o = app->standard;
  char why[why_size] = "";
  const char* refused = NULL;
  for (int i = 0; app->own_way != NULL && app->own_way(i) != NULL; i++) sync_add(app->own_way(i));
  const int parsed = parse(app, argc, argv, &o, why);
  halo_start(parsed ? o.threads : 1);
  if (parsed) refused = app->refuse(&o);
  if (!parsed || refused != NULL) {
    if (halo_me() == 0)
      fprintf(stderr, "%s: %s\nusage: %s %s [--sync LIST|all] [--rotate N] [--threads T] [--delay SEED]\n", app->name,
              parsed ? refused : why, app->name, app->usage);
    halo_end();
    return 2;
  }
  if (threads_start(o.threads) != 0) halo_abort(3);
  const int status = run_all(app, &o);
  threads_stop();
  halo_end();
  return status;
}
