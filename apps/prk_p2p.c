/* A wave that crosses a grid: each point needs the one on its left, which may be on another PE.
 *
 *     oshrun -n 4 prk_p2p [columns rows] [--scaling strong|weak] [--steps N] [--sync LIST|all] ...
 *
 * A(i,j) = A(i-1,j) + A(i,j-1) - A(i-1,j-1). The columns of a PE are split among its threads. In each turn a thread is
 * one row behind the thread on its left, which may be the last one of another PE. Each PE sends one number to the right
 * in a turn: this measures the latency between neighbours. The last corner, negated, is the first corner of
 * the next sweep, so that it grows by columns + rows - 2.
 */
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"

typedef struct wave {
  long m, n;         /* columns and rows */
  long low, columns; /* of this PE */
  double* a;         /* rows of this PE's columns; each begins with the last column of the PE on the left */
  halo_t* halo;
  int left, right; /* links, or -1 */
  double corner;   /* of the last sweep */
  long wrong;      /* wrong numbers from the left */
  long turn;
} wave_t;

static double* at(const wave_t* w, long column, long row) {
  return w->a + row * (w->columns + 1) + column - w->low + 1;
}

static int has_row(const wave_t* w, long row) { return row > 0 && row < w->n; }

static long row_of(const wave_t* w, int thread) { return w->turn - (long)halo_me() * threads_count() - thread; }

static void sweep_part(int thread, void* of) {
  const wave_t* w = of;
  const long row = row_of(w, thread);
  long from, to;
  if (!has_row(w, row)) return;
  share(w->columns, threads_count(), thread, &from, &to);
  for (long i = w->low + from > 0 ? w->low + from : 1; i < w->low + to; i++)
    *at(w, i, row) = *at(w, i - 1, row) + *at(w, i, row - 1) - *at(w, i - 1, row - 1);
}

/* A PE without a row in this turn sends an empty message, so that all PEs take the same number of turns. */
static void tell(wave_t* w, long row) {
  timers_enter(PHASE_PACK);
  if (w->left >= 0) halo_size(w->halo, w->left, 0);
  if (w->right >= 0) {
    const size_t bytes = has_row(w, row) ? sizeof(double) : 0;
    if (bytes > 0) memcpy(halo_out(w->halo, w->right), at(w, w->low + w->columns - 1, row), bytes);
    halo_size(w->halo, w->right, bytes);
  }
  halo_send(w->halo);
  halo_wait(w->halo);
  timers_enter(PHASE_COMPUTE);
}

/* Checks each number, because the last corner alone is no check: an error in one row is subtracted in the next. */
static void hear(wave_t* w, long row) {
  size_t bytes;
  if (w->left < 0 || !has_row(w, row)) return;
  const void* value = halo_in(w->halo, w->left, &bytes);
  double* const to = at(w, w->low - 1, row);
  if (bytes == sizeof(double)) memcpy(to, value, sizeof(double));
  w->wrong += *to != (double)(w->low - 1 + row) + (w->low > 1 ? w->corner : 0.0);
}

static void sweep(wave_t* w) {
  const int last = halo_pes() - 1, threads = threads_count();
  for (w->turn = 1; w->turn < w->n + (long)halo_pes() * threads - 1; w->turn++) {
    hear(w, row_of(w, 0));
    threads_run(sweep_part, w);
    tell(w, row_of(w, threads - 1));
  }
  const phase_t before = timers_enter(PHASE_REDUCE);
  double corner = halo_me() == last ? *at(w, w->m - 1, w->n - 1) : 0.0;
  halo_broadcast(&corner, sizeof corner, last);
  timers_enter(before);
  if (halo_me() == 0) *at(w, 0, 0) = -corner;
  w->corner = corner;
}

static int create(wave_t* w, const app_options_t* o, sync_how_t how) {
  const int me = halo_me(), n = halo_pes();
  halo_link_t link[2];
  int links = 0;
  long high;
  *w = (wave_t){.m = o->weak ? o->number[0] * n : o->number[0], .n = o->number[1]};
  share(w->m, n, me, &w->low, &high);
  w->columns = high - w->low;
  w->left = w->right = -1;
  if (me > 0) link[w->left = links++] = (halo_link_t){me - 1, me - 1 > 0};
  if (me < n - 1) link[w->right = links++] = (halo_link_t){me + 1, 0};
  w->halo = halo_create(how, links, link, sizeof(double));
  w->a = calloc((size_t)(w->columns + 1) * (size_t)w->n, sizeof(double));
  if (w->halo == NULL || w->a == NULL) return 1;
  for (long i = w->low > 0 ? w->low - 1 : 0; i < high; i++) *at(w, i, 0) = (double)i;
  for (long j = 0; me == 0 && j < w->n; j++) *at(w, 0, j) = (double)j;
  return 0;
}

static uint64_t checksum(const wave_t* w) {
  uint64_t sum = 0, bits;
  for (long j = 0; j < w->n; j++)
    for (long i = w->low; i < w->low + w->columns; i++) {
      memcpy(&bits, at(w, i, j), sizeof bits);
      sum += (bits ^ bits >> 31) * (2 * (uint64_t)(j * w->m + i) + 1);
    }
  return halo_sum_u64(sum);
}

/* ---- the app */

static const char* refuse(const app_options_t* o) {
  if (o->image != NULL) return "--image: there is no picture of this";
  if (o->number[0] > 1 << 24 || o->number[1] > 1 << 24) return "a side is longer than 16777216";
  if (o->number[0] < 2 || o->number[1] < 2) return "a side is shorter than 2";
  return !o->weak && o->number[0] < halo_pes() ? "there are fewer columns than PEs" : NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "prk_p2p",
                          .usage = "[columns rows] [--scaling strong|weak] [--steps N]",
                          .unit = "Mflop/s",
                          .numbers = 2,
                          .standard = {.number = {1000, 1000}, .steps = 10, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .refuse = refuse,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  wave_t w;
  (void)first;
  if (create(&w, o, how) != 0) app_no_memory(&app);
  sweep(&w);
  app_clock_start();
  for (int i = 0; i < o->steps; i++) sweep(&w);
  app_clock_stop();
  const double m = (double)w.m, n = (double)w.n;
  app_result_t result = {.work = 1e-6 * 2 * (m - 1) * (n - 1) * o->steps, .checksum = checksum(&w)};
  result.wrong = w.corner != (o->steps + 1) * (m + n - 2) || halo_sum((double)w.wrong) > 0.0;
  halo_destroy(w.halo);
  free(w.a);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
