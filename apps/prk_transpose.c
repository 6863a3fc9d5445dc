/* B += A transposed, A += 1, both cut into blocks of columns: every PE sends to every other PE. Its own block it turns
 * in place.
 *
 *     oshrun -n 4 prk_transpose [order] [--scaling strong|weak] [--steps N] [--sync LIST|all] ...
 *
 * Every element of B is known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"

enum { tile = 32 };

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

static long smaller(long a, long b) { return a < b ? a : b; }

/* ---- a tile of A, transposed */

/* Two numbers, which compilers keep in one register. They do not find this by themselves in a transposition. */
typedef double pair_t __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Moves or adds an element of A to its place, and adds 1 to it. */
static inline void turn_one(double* a, double* to, int add) {
  *to = add ? *to + *a : *a;
  *a += 1.0;
}

/* Does the same with two elements of each of two columns; `next` is the distance of columns. */
static inline void turn_four(double* a, long a_next, double* to, long next, int add) {
  pair_t *a0 = (void*)a, *a1 = (void*)(a + a_next), *to0 = (void*)to, *to1 = (void*)(to + next);
  const pair_t x = *a0, y = *a1;
  pair_t upper = {x[0], y[0]}, lower = {x[1], y[1]};
  if (add) upper += *to0, lower += *to1;
  *to0 = upper;
  *to1 = lower;
  *a0 = x + 1.0;
  *a1 = y + 1.0;
}

static inline void turn_tile(double* a, long a_next, long columns, long rows, double* to, long next, int add) {
  for (long r = 0; r < rows; r += 2)
    for (long c = 0; c < columns; c += 2) {
      double *const from = a + c * a_next + r, *const at = to + r * next + c;
      if (r + 1 < rows && c + 1 < columns) {
        turn_four(from, a_next, at, next, add);
        continue;
      }
      turn_one(from, at, add);
      if (r + 1 < rows) turn_one(from + 1, at + next, add);
      if (c + 1 < columns) turn_one(from + a_next, at + 1, add);
    }
}

/* ---- the parts of a step */

/* Packs a block of A, transposed, into a message. */
static void pack_part(int thread, void* of) {
  const copy_job_t* j = of;
  const long columns = j->m->columns, n = j->m->n;
  long from, to;
  share(j->rows, threads_count(), thread, &from, &to);
  for (long r = from; r < to; r += tile)
    for (long c = 0; c < columns; c += tile)
      turn_tile(&j->m->a[c * n + j->low + r], n, smaller(columns - c, tile), smaller(to - r, tile),
                &j->message[r * columns + c], columns, 0);
}

/* The block whose rows and columns this PE has. */
static void turn_part(int thread, void* of) {
  const matrices_t* m = of;
  const long columns = m->columns, n = m->n;
  long from, to;
  share(columns, threads_count(), thread, &from, &to);
  for (long r = from; r < to; r += tile)
    for (long c = 0; c < columns; c += tile)
      turn_tile(&m->a[c * n + m->low + r], n, smaller(columns - c, tile), smaller(to - r, tile),
                &m->b[r * n + m->low + c], n, 1);
}

static void add_part(int thread, void* of) {
  const copy_job_t* j = of;
  long from, to;
  share(j->m->columns, threads_count(), thread, &from, &to);
  for (long c = from; c < to; c++) {
    double* restrict b = &j->m->b[c * j->m->n + j->low];
    const double* restrict arrived = &j->arrived[c * j->rows];
    for (long r = 0; r < j->rows; r++) b[r] += arrived[r];
  }
}

/* The PE behind a link: all but this one, in order. */
static int behind(int link) { return link + (link >= halo_me()); }

static copy_job_t job_of(const matrices_t* m, int link) {
  long high;
  copy_job_t j = {.m = m};
  share(m->n, halo_pes(), behind(link), &j.low, &high);
  j.rows = high - j.low;
  return j;
}

/* The own block is turned while the messages travel. */
static void step(matrices_t* m) {
  timers_enter(PHASE_PACK);
  for (int k = 0; k < halo_pes() - 1; k++) {
    copy_job_t j = job_of(m, k);
    j.message = halo_out(m->halo, k);
    threads_run(pack_part, &j);
    halo_size(m->halo, k, (size_t)(j.rows * m->columns) * sizeof(double));
  }
  halo_send(m->halo);
  timers_enter(PHASE_COMPUTE);
  threads_run(turn_part, m);
  halo_wait(m->halo);
  timers_enter(PHASE_COMPUTE);
  for (int k = 0; k < halo_pes() - 1; k++) {
    size_t bytes;
    copy_job_t j = job_of(m, k);
    j.arrived = halo_in(m->halo, k, &bytes);
    threads_run(add_part, &j);
  }
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
  for (int k = 0; k < halo_pes() - 1; k++) link[k] = (halo_link_t){behind(k), halo_me() - (halo_me() > behind(k))};
  const size_t widest = (size_t)(n / halo_pes() + 1);
  m->halo = halo_create(how, halo_pes() - 1, link, widest * widest * sizeof(double));
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
