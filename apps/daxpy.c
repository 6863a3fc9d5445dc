/* x takes the mean of y's neighbours, then y <- a x + y, on a ring that is split among the PEs.
 *
 *     oshrun -n 4 daxpy [n] [--scaling strong|weak] [--steps N] [--sync LIST|all] ...
 *
 * The fields begin as a constant plus one wave. Both only grow, by two small recurrences, which each PE also computes
 * alone to check the result. No two elements that are near each other hold the same value.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"

static const double a = 0.01, start = 5.0;
enum { wave_length = 7 };

typedef struct vectors {
  long n, first, mine;
  double *x, *y; /* y with a ghost at each end */
} vectors_t;

/* One wave for about seven elements, for any length of the ring. */
static double wave(const vectors_t* v, long i) {
  const long waves = v->n / wave_length > 0 ? v->n / wave_length : 1;
  return cos(2.0 * 3.14159265358979323846 * (double)(i * waves % v->n) / (double)v->n);
}

static void fill(int thread, void* of) {
  vectors_t* v = of;
  long from, to;
  share(v->mine, threads_count(), thread, &from, &to);
  for (long i = from; i < to; i++) v->x[i] = v->y[i + 1] = start + wave(v, v->first + i);
}

/* Computes all of x before `daxpy` changes y, because a thread also reads elements of y that belong to others. */
static void neighbours(int thread, void* of) {
  vectors_t* v = of;
  long from, to;
  share(v->mine, threads_count(), thread, &from, &to);
  for (long i = from; i < to; i++) v->x[i] += 0.5 * (v->y[i] + v->y[i + 2]);
}

static void daxpy(int thread, void* of) {
  vectors_t* v = of;
  long from, to;
  share(v->mine, threads_count(), thread, &from, &to);
  for (long i = from; i < to; i++) v->y[i + 1] += a * v->x[i];
}

static void step(vectors_t* v, halo_t* halo) {
  timers_enter(PHASE_PACK);
  memcpy(halo_out(halo, 0), &v->y[1], sizeof(double));
  memcpy(halo_out(halo, 1), &v->y[v->mine], sizeof(double));
  halo_size(halo, 0, sizeof(double));
  halo_size(halo, 1, sizeof(double));
  halo_send(halo);
  halo_wait(halo);
  memcpy(&v->y[0], halo_in(halo, 0, NULL), sizeof(double));
  memcpy(&v->y[v->mine + 1], halo_in(halo, 1, NULL), sizeof(double));
  timers_enter(PHASE_COMPUTE);
  threads_run(neighbours, v);
  threads_run(daxpy, v);
}

/* The amplitude of y after `steps`, for a wave of which the mean of two neighbours is `mean` times the element. */
static double amplitude(double begin, double mean, int steps) {
  double x = begin, y = begin;
  for (int s = 0; s < steps; s++) {
    x += mean * y;
    y += a * x;
  }
  return y;
}

static int differs(const vectors_t* v, int steps) {
  const double mean = 0.5 * (wave(v, 1 % v->n) + wave(v, v->n - 1));
  const double constant = amplitude(start, 1.0, steps), swing = amplitude(1.0, mean, steps);
  double worst = 0.0;
  for (long i = 0; i < v->mine; i++) {
    const double error = fabs(v->y[i + 1] - constant - swing * wave(v, v->first + i));
    if (!(error <= worst)) worst = error;
  }
  return halo_sum(!(worst <= 1e-11 * constant)) > 0.0;
}

static uint64_t checksum(const vectors_t* v) {
  uint64_t sum = 0, bits;
  for (long i = 0; i < v->mine; i++) {
    memcpy(&bits, &v->y[i + 1], sizeof bits);
    sum += bits * (2 * (uint64_t)(v->first + i) + 1);
  }
  return halo_sum_u64(sum);
}

static long elements(const app_options_t* o) { return o->weak ? o->number[0] * halo_pes() : o->number[0]; }

static const char* refuse(const app_options_t* o) {
  if (o->image != NULL) return "--image: there is no picture of this";
  if (elements(o) > 1L << 31) return "there are more than 2147483648 elements";
  return elements(o) < halo_pes() ? "there are fewer elements than PEs" : NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {
    .name = "daxpy",
    .usage = "[n] [--scaling strong|weak] [--steps N]",
    .unit = "Mflop/s",
    .numbers = 1,
    .standard = {.number = {1 << 20}, .steps = 100, .threads = 1, .weak = 1, .syncs = 1u << SYNC_BARRIER},
    .refuse = refuse,
    .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  const int me = halo_me(), pes = halo_pes();
  const halo_link_t ring[2] = {{(me + pes - 1) % pes, 1}, {(me + 1) % pes, 0}};
  vectors_t v = {.n = elements(o)};
  long end;
  (void)first;
  share(v.n, pes, me, &v.first, &end);
  v.mine = end - v.first;
  v.x = malloc((size_t)v.mine * sizeof *v.x);
  v.y = malloc((size_t)(v.mine + 2) * sizeof *v.y);
  halo_t* halo = halo_create(how, 2, ring, sizeof(double));
  if (v.x == NULL || v.y == NULL || halo == NULL) app_no_memory(&app);
  threads_run(fill, &v);
  app_clock_start();
  for (int s = 0; s < o->steps; s++) step(&v, halo);
  app_clock_stop();
  /* Per element: 3 operations for x, 2 for y. */
  const app_result_t result = {
      .work = 5e-6 * (double)v.n * o->steps, .checksum = checksum(&v), .wrong = differs(&v, o->steps)};
  halo_destroy(halo);
  free(v.x), free(v.y);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
