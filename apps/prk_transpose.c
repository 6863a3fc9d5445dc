/* B += A transposed, A += 1, both cut into blocks of columns: every PE sends to every PE.
 *
 *     oshrun -n 4 prk_transpose [order] [--scaling strong|weak] [--steps N] [--sync LIST|all] ...
 *
 * Every element of B is known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"

enum { tile = 16 };

typedef struct matrices {
  long n, low, columns; /* the order; first column and columns of this PE */
  double *a, *b;        /* column after column */
  halo_t* halo;
} matrices_t;

typedef struct copy_job {
  const matrices_t* m;
  long low, rows; /* of A, which are columns of B elsewhere; in `add`: rows of B */
  double* message;
  const double* arrived;
} copy_job_t;

/* Packs a block of A, transposed tile by tile, into a message. */
static void pack_part(int thread, void* of) {
  const copy_job_t* j = of;
  long from, to;
  share(j->rows, threads_count(), thread, &from, &to);
  for (long tiles = from; tiles < to; tiles += tile)
    for (long c = 0; c < j->m->columns; c++)
      for (long r = tiles; r < to && r < tiles + tile; r++)
        j->message[r * j->m->columns + c] = j->m->a[c * j->m->n + j->low + r];
}

static void add_part(int thread, void* of) {
  const copy_job_t* j = of;
  long from, to;
  share(j->m->columns, threads_count(), thread, &from, &to);
  for (long c = from; c < to; c++)
    for (long r = 0; r < j->rows; r++) j->m->b[c * j->m->n + j->low + r] += j->arrived[c * j->rows + r];
}

static void add_one(int thread, void* of) {
  const matrices_t* m = of;
  long from, to;
  share(m->columns * m->n, threads_count(), thread, &from, &to);
  for (long i = from; i < to; i++) m->a[i] += 1.0;
}

static void step(matrices_t* m) {
  long high;
  timers_enter(PHASE_PACK);
  for (int pe = 0; pe < halo_pes(); pe++) {
    copy_job_t j = {.m = m, .message = halo_out(m->halo, pe)};
    share(m->n, halo_pes(), pe, &j.low, &high);
    j.rows = high - j.low;
    threads_run(pack_part, &j);
    halo_size(m->halo, pe, (size_t)(j.rows * m->columns) * sizeof(double));
  }
  halo_send(m->halo);
  halo_wait(m->halo);
  timers_enter(PHASE_COMPUTE);
  for (int pe = 0; pe < halo_pes(); pe++) {
    size_t bytes;
    copy_job_t j = {.m = m, .arrived = halo_in(m->halo, pe, &bytes)};
    share(m->n, halo_pes(), pe, &j.low, &high);
    j.rows = high - j.low;
    threads_run(add_part, &j);
  }
  threads_run(add_one, m);
}

static int create(matrices_t* m, long n, sync_how_t how) {
  long high;
  halo_link_t* link = malloc((size_t)halo_pes() * sizeof *link);
  *m = (matrices_t){.n = n};
  share(n, halo_pes(), halo_me(), &m->low, &high);
  m->columns = high - m->low;
  m->a = malloc((size_t)(m->columns * n) * sizeof(double));
  m->b = calloc((size_t)(m->columns * n), sizeof(double));
  if (link == NULL || m->a == NULL || m->b == NULL) return 1;
  for (long i = 0; i < m->columns * n; i++) m->a[i] = (double)(m->low * n + i);
  for (int pe = 0; pe < halo_pes(); pe++) link[pe] = (halo_link_t){pe, halo_me()};
  const size_t widest = (size_t)(n / halo_pes() + 1);
  m->halo = halo_create(how, halo_pes(), link, widest * widest * sizeof(double));
  free(link);
  return m->halo == NULL;
}

/* Each step has added n * i + j to row i of column j of B, and one more than the step before. */
static int differs(const matrices_t* m, int steps) {
  const double times = steps + 1.0, more = 0.5 * steps * (steps + 1.0);
  long wrong = 0;
  for (long j = 0; j < m->columns; j++)
    for (long i = 0; i < m->n; i++) wrong += m->b[j * m->n + i] != (double)(m->n * i + m->low + j) * times + more;
  return halo_sum((double)wrong) > 0.0;
}

static uint64_t checksum(const matrices_t* m) {
  uint64_t sum = 0, bits;
  for (long i = 0; i < m->columns * m->n; i++) {
    memcpy(&bits, &m->b[i], sizeof bits);
    sum += (bits ^ bits >> 31) * (2 * (uint64_t)(m->low * m->n + i) + 1);
  }
  return halo_sum_u64(sum);
}

/* ---- the app */

static long order_of(const app_options_t* o) {
  return o->weak ? lround((double)o->number[0] * sqrt(halo_pes())) : o->number[0];
}

static const char* refuse(const app_options_t* o) {
  if (o->image != NULL) return "--image: there is no picture of this";
  if (order_of(o) > 100000) return "the order is above 100000";
  return order_of(o) < halo_pes() ? "there are fewer columns than PEs" : NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "prk_transpose",
                          .usage = "[order] [--scaling strong|weak] [--steps N]",
                          .unit = "GB/s",
                          .numbers = 1,
                          .standard = {.number = {1000}, .steps = 50, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .refuse = refuse,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  matrices_t m;
  (void)first;
  if (create(&m, order_of(o), how) != 0) app_no_memory(&app);
  step(&m);
  app_clock_start();
  for (int i = 0; i < o->steps; i++) step(&m);
  app_clock_stop();
  const double elements = (double)m.n * (double)m.n;
  const app_result_t result = {
      .work = 1e-9 * 2 * 8 * elements * o->steps, .checksum = checksum(&m), .wrong = differs(&m, o->steps)};
  halo_destroy(m.halo);
  free(m.a), free(m.b);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
