// A simulated library with known costs, for tests of the statistics. It advances a clock of its own by the cost of each
// operation, with noise that depends only on the name of the launch. OSHBENCH_SIM sets its behaviour, for example
// "scale=1.1,launch=0.02,noise=0.05,crash=exit,wrong=put":
//   scale       factor of all costs
//   launch      standard deviation of the logarithm between launches; noise: between batches
//   outliers    share of batches that take three times as long
//   crash       exit: a signal after the last case; case: in the middle; hang: never ends there
//   wrong       the case whose check fails
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"
#include "page.h"

typedef struct {
  double scale, launch, noise, outliers;
  char crash[16], wrong[64];
} behaviour;

static behaviour how;
static uint64_t random_state;
static double launch_factor;
static double clock_now;
static long size_now;

static uint64_t next_random(void) {  // splitmix64
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double uniform(void) { return ((double)(next_random() >> 11) + 0.5) / 9007199254740992.0; }

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(2 * acos(-1.0) * uniform()); }

static void seed(const char* text) {
  random_state = 1469598103934665603u;
  for (; *text != '\0'; ++text) random_state = (random_state ^ (unsigned char)*text) * 1099511628211u;
}

static int64_t simulated_clock(void) { return (int64_t)clock_now; }

typedef struct {
  const char* name;
  double alpha, beta;  // ns, and ns for each byte
} cost;

static const cost costs[] = {{"put", 50, 0.05},       {"get", 60, 0.06},  {"put_quiet", 70, 0},
                             {"fetch_add", 90, 0},    {"p_wait", 150, 0}, {"barrier_all", 300, 0},
                             {"broadcast", 250, 0.1}, {"sum", 400, 0.2},  {"fcollect", 400, 0.2},
                             {"alltoall", 500, 0.3},  {NULL, 0, 0}};

static const cost* current_cost(void) {
  const cost* c = costs;
  while (c->name != NULL && strcmp(c->name, bench_current->name) != 0) ++c;
  return c;
}

static void prepare(long size) {
  size_now = size;
  launch_factor = exp(how.launch * normal());
}

static void body(long first, long count) {
  (void)first;
  const cost* c = current_cost();
  const double cost_ns = c->alpha + c->beta * (double)size_now;
  const double burst = uniform() < how.outliers ? 3 : 1;
  clock_now += (double)count * cost_ns * how.scale * launch_factor * exp(how.noise * normal()) * burst;
}

static bool valid(long first, long count) {
  (void)first;
  if (strcmp(how.crash, "case") == 0 && strcmp(bench_current->name, "sum") == 0) abort();
  if (strcmp(how.crash, "hang") == 0 && strcmp(bench_current->name, "sum") == 0) pause();
  return count > 0 && strcmp(how.wrong, bench_current->name) != 0;
}

static const long sizes[] = {1 << 20, 8, 64, 1 << 10, 4 << 10, 64 << 10, 0};
static const long eight[] = {8, 0};

static const bench_case cases[] = {{"put", "simulated", 0, prepare, body, valid, bench_alone | bench_bytewise, sizes},
                                   {"get", "simulated", 0, prepare, body, valid, bench_alone | bench_bytewise, sizes},
                                   {"put_quiet", "simulated", 0, prepare, body, valid, bench_alone, eight},
                                   {"fetch_add", "simulated", 0, prepare, body, valid, bench_alone, eight},
                                   {"barrier_all", "simulated", 0, prepare, body, valid, bench_everyone, NULL},
                                   {"broadcast", "simulated", 0, prepare, body, valid, bench_everyone, sizes},
                                   {"sum", "simulated", 0, prepare, body, valid, bench_everyone, sizes},
                                   {"fcollect", "simulated", 0, prepare, body, valid, bench_everyone, sizes},
                                   {"alltoall", "simulated", 0, prepare, body, valid, bench_everyone, sizes},
                                   {0}};

BENCH_CASES(bench_any_pes, cases)

static const bench_case between[] = {{"p_wait", "simulated", 0, prepare, body, valid, bench_alone, eight}, {0}};

BENCH_CASES(bench_two_pes, between)

static behaviour parse(const char* text) {
  behaviour b = {.scale = 1};
  char* const list = strdup(text);
  char* rest = NULL;
  for (char* part = strtok_r(list, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
    const char* value = strchr(part, '=');
    if (value == NULL) continue;
    ++value;
    if (strncmp(part, "scale=", 6) == 0) b.scale = atof(value);
    if (strncmp(part, "launch=", 7) == 0) b.launch = atof(value);
    if (strncmp(part, "noise=", 6) == 0) b.noise = atof(value);
    if (strncmp(part, "outliers=", 9) == 0) b.outliers = atof(value);
    if (strncmp(part, "crash=", 6) == 0) snprintf(b.crash, sizeof b.crash, "%s", value);
    if (strncmp(part, "wrong=", 6) == 0) snprintf(b.wrong, sizeof b.wrong, "%s", value);
  }
  free(list);
  return b;
}

static long run(int me, int pes, int argc, char** argv) {
  static const bench_suite suite = {.program = "simulated", .clock = simulated_clock};
  const char* name = getenv("OSHBENCH_LAUNCH");
  how = parse(getenv("OSHBENCH_SIM") != NULL ? getenv("OSHBENCH_SIM") : "");
  seed(name != NULL ? name : "");
  const long failed = bench_run(&suite, me, pes, argc, argv);
  if (me == 0 && strcmp(how.crash, "exit") == 0) abort();
  return failed;
}

// sim PEs ARGUMENTS: starts its own processes.
int main(int argc, char** argv) {
  const int pes = argc > 1 ? atoi(argv[1]) : 0;
  if (pes < 1 || pes > page_max_pes) {
    fprintf(stderr, "sim: the number of processes is expected first\n");
    return 2;
  }
  int me = 0;
  for (int pe = 1; pe < pes && me == 0; ++pe) me = fork() == 0 ? pe : 0;
  if (me != 0) prctl(PR_SET_PDEATHSIG, SIGKILL);  // processes end with process 0
  const long failed = run(me, pes, argc - 1, argv + 1);
  int status = 0;
  while (me == 0 && wait(&status) > 0) {
  }
  return failed != 0;
}
