/* Conjugate gradients on a chimney of nx x ny x nz cells, 27-point matrix, split in planes of z.
 *
 *     oshrun -n 4 hpccg [nx ny nz] [--scaling strong|weak] [--steps N] [--image FILE.svg] ...
 *
 * Each iteration exchanges one plane with the PE below and the PE above, and reduces twice. The solution is 1
 * everywhere; the residuals of some iterations are compared with known ones. After the timed part every exchange is
 * compared with what must arrive, and the residual with b - A x. A run that stops before it has converged is unchecked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curve.h"
#include "halo/app.h"
#include "hpccg_known.h"
#include "hpccg_matrix.h"

static const double tolerance = 1e-9;
enum { checked_exchanges = 4 }; /* as many as an exchange has buffers, or more */

typedef struct solver {
  long nx, ny, nz; /* of all PEs */
  long first;      /* my first plane */
  matrix_t a;
  double *x, *r, *p, *q; /* p with the planes below and above behind my own */
  double* partial;       /* partial dot product of each plane: the sum does not depend on the number of threads */
  double alpha, beta;
  const double *u, *v; /* of the dot product */
  halo_t* halo;
  int below, above; /* links, or -1 */
  double rr, r0;
  double* residual; /* at the start of each iteration */
  int wrong;
} solver_t;

/* ---- vectors, by threads */

typedef void (*on_rows_t)(solver_t*, long from_plane, long to_plane);
typedef struct work {
  solver_t* s;
  on_rows_t what;
} work_t;

static void my_part(int thread, void* of) {
  const work_t* w = of;
  long from, to;
  share(w->s->a.planes, threads_count(), thread, &from, &to);
  w->what(w->s, from, to);
}

static void all_rows(solver_t* s, on_rows_t what) {
  work_t w = {s, what};
  threads_run(my_part, &w);
}

static void dot_planes(solver_t* s, long from, long to) {
  for (long z = from; z < to; z++) {
    double sum = 0.0;
    for (long i = z * s->a.plane; i < (z + 1) * s->a.plane; i++) sum += s->u[i] * s->v[i];
    s->partial[z] = sum;
  }
}

static double dot(solver_t* s, const double* u, const double* v) {
  double sum = 0.0;
  s->u = u;
  s->v = v;
  all_rows(s, dot_planes);
  for (long z = 0; z < s->a.planes; z++) sum += s->partial[z];
  return halo_sum(sum);
}

static void times(solver_t* s, long from, long to) { matrix_times(&s->a, s->p, s->q, from, to); }

static void direction(solver_t* s, long from, long to) {
  for (long i = from * s->a.plane; i < to * s->a.plane; i++) s->p[i] = s->r[i] + s->beta * s->p[i];
}

static void advance(solver_t* s, long from, long to) {
  for (long i = from * s->a.plane; i < to * s->a.plane; i++) {
    s->x[i] += s->alpha * s->p[i];
    s->r[i] -= s->alpha * s->q[i];
  }
}

/* ---- the exchange */

static void link_planes(solver_t* s, sync_how_t how) {
  const int me = halo_me(), n = halo_pes();
  halo_link_t link[2];
  int links = 0;
  s->below = s->above = -1;
  if (me > 0) link[s->below = links++] = (halo_link_t){me - 1, me - 1 > 0};
  if (me < n - 1) link[s->above = links++] = (halo_link_t){me + 1, 0};
  s->halo = halo_create(how, links, link, (size_t)s->a.plane * sizeof(double));
}

static void pack(solver_t* s, int link, const double* plane) {
  const size_t bytes = (size_t)s->a.plane * sizeof(double);
  if (link < 0) return;
  memcpy(halo_out(s->halo, link), plane, bytes);
  halo_size(s->halo, link, bytes);
}

static void unpack(solver_t* s, int link, double* plane) {
  size_t bytes;
  if (link < 0) return;
  const void* from = halo_in(s->halo, link, &bytes);
  memcpy(plane, from, bytes);
}

static void exchange(solver_t* s) {
  timers_enter(PHASE_PACK);
  pack(s, s->below, s->p);
  pack(s, s->above, s->p + s->a.rows - s->a.plane);
  halo_send(s->halo);
  halo_wait(s->halo);
  unpack(s, s->below, s->p + s->a.rows);
  unpack(s, s->above, s->p + s->a.rows + s->a.plane);
  timers_enter(PHASE_COMPUTE);
}

/* ---- conjugate gradients */

static int create(solver_t* s, const app_options_t* o, sync_how_t how) {
  long end;
  *s = (solver_t){.nx = o->number[0], .ny = o->number[1], .nz = o->number[2]};
  if (o->weak) s->nz *= halo_pes();
  share(s->nz, halo_pes(), halo_me(), &s->first, &end);
  if (matrix_create(&s->a, s->nx, s->ny, s->nz, s->first, end - s->first) != 0) return 1;
  const size_t rows = (size_t)s->a.rows;
  s->x = calloc(rows, sizeof(double));
  s->r = malloc(rows * sizeof(double));
  s->q = malloc(rows * sizeof(double));
  s->p = calloc(rows + 2 * (size_t)s->a.plane, sizeof(double));
  s->partial = malloc((size_t)s->a.planes * sizeof(double));
  s->residual = malloc(((size_t)o->steps + 1) * sizeof(double));
  link_planes(s, how);
  return s->x == NULL || s->r == NULL || s->q == NULL || s->p == NULL || s->partial == NULL || s->residual == NULL ||
         s->halo == NULL;
}

static void destroy(solver_t* s) {
  halo_destroy(s->halo);
  matrix_destroy(&s->a);
  free(s->x), free(s->r), free(s->q), free(s->p), free(s->partial), free(s->residual);
}

/* b, the product of the matrix with a vector of ones. */
static double right_side(const solver_t* s, long i) { return 27.0 - (double)(s->a.begin[i + 1] - s->a.begin[i] - 1); }

/* x = 0, and r = b. */
static void begin(solver_t* s) {
  for (long i = 0; i < s->a.rows; i++) s->r[i] = right_side(s, i);
}

/* As in the original program, residual k is the one that iteration k starts with; residual 0 is the initial one. */
static void look_at_residual(solver_t* s, int done, int print) {
  const int k = done == 0 ? 0 : done + 1;
  const double norm = sqrt(s->rr), known = hpccg_known(s->nx, s->ny, s->nz, k);
  if (k == 0) s->r0 = norm;
  if (k % 15 != 0 || norm < 1e-10 * s->r0) return;
  if (known > 0.0 && !(fabs(norm - known) <= tolerance * known)) s->wrong = 1;
  if (print && halo_me() == 0) printf("residual %3d  %.12e\n", k, norm);
}

/* Returns the number of iterations. */
static int solve(solver_t* s, int iterations, int print) {
  double last = 0.0;
  for (int done = 0;; done++) {
    s->rr = dot(s, s->r, s->r);
    s->residual[done] = sqrt(s->rr);
    look_at_residual(s, done, print);
    if (done == iterations || s->rr == 0.0) return done;
    s->beta = last == 0.0 ? 0.0 : s->rr / last;
    all_rows(s, direction);
    exchange(s);
    all_rows(s, times);
    s->alpha = s->rr / dot(s, s->p, s->q);
    all_rows(s, advance);
    last = s->rr;
  }
}

/* ---- checks after the timed part */

/* Element `i` of plane `z` of all PEs, in check `k`. */
static double pattern(const solver_t* s, long z, long i, int k) { return (double)((z * s->a.plane + i) * 5 + k); }

static int plane_differs(const solver_t* s, int link, const double* plane, long z, int k) {
  int bad = 0;
  for (long i = 0; link >= 0 && i < s->a.plane; i++) bad |= plane[i] != pattern(s, z, i, k);
  return bad;
}

/* Collective. Every element that arrives is compared. */
static int exchange_differs(solver_t* s) {
  int bad = 0;
  for (int k = 0; k < checked_exchanges; k++) {
    for (long i = 0; i < s->a.rows; i++) s->p[i] = pattern(s, s->first, i, k);
    exchange(s);
    bad |= plane_differs(s, s->below, s->p + s->a.rows, s->first - 1, k);
    bad |= plane_differs(s, s->above, s->p + s->a.rows + s->a.plane, s->first + s->a.planes, k);
  }
  return bad;
}

/* Collective. The residual that conjugate gradients carry along drifts from b - A x by rounding only. */
static int residual_differs(solver_t* s) {
  memcpy(s->p, s->x, (size_t)s->a.rows * sizeof(double));
  exchange(s);
  all_rows(s, times);
  for (long i = 0; i < s->a.rows; i++) s->q[i] = right_side(s, i) - s->q[i] - s->r[i];
  return !(sqrt(dot(s, s->q, s->q)) <= 1e-13 * s->r0);
}

static int converged(const solver_t* s) { return sqrt(s->rr) <= 1e-13 * s->r0; }

/* Collective. A converged run must have 1 everywhere. */
static int differs(solver_t* s) {
  s->wrong |= residual_differs(s);
  s->wrong |= exchange_differs(s);
  double worst = 0.0;
  for (long i = 0; i < s->a.rows; i++)
    if (!(fabs(s->x[i] - 1.0) <= worst)) worst = fabs(s->x[i] - 1.0);
  const int bad = converged(s) ? !(worst <= 1e-12) : !isfinite(worst);
  return halo_sum(bad || s->wrong) > 0.0;
}

/* Of the solution and of all residuals: at the end the solution no longer shows a small error. */
static uint64_t checksum(const solver_t* s, int done) {
  uint64_t sum = 0, bits;
  for (int k = 0; k <= done && halo_me() == 0; k++) {
    memcpy(&bits, &s->residual[k], sizeof bits);
    sum += bits * (2 * (uint64_t)k + 1);
  }
  for (long i = 0; i < s->a.rows; i++) {
    memcpy(&bits, &s->x[i], sizeof bits);
    sum += bits * (2 * (uint64_t)(s->first * s->a.plane + i) + 1);
  }
  return halo_sum_u64(sum);
}

/* ---- the app */

static const char* refuse(const app_options_t* o) {
  for (int i = 0; i < 3; i++)
    if (o->number[i] > 10000) return "a side is longer than 10000";
  return !o->weak && o->number[2] < halo_pes() ? "there are fewer planes than PEs" : NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {
    .name = "hpccg",
    .usage = "[nx ny nz] [--scaling strong|weak] [--steps N] [--image FILE.svg]",
    .unit = "Mflop/s",
    .numbers = 3,
    .standard = {.number = {64, 64, 64}, .steps = 149, .threads = 1, .weak = 1, .syncs = 1u << SYNC_BARRIER},
    .refuse = refuse,
    .run = run};

/* Collective. */
static int draw(const solver_t* s, int done, const char* path) {
  int failed = 0;
  if (halo_me() == 0 && curve_write(path, "HPCCG: residual where each iteration starts", s->residual, done + 1) != 0) {
    perror(path);
    failed = 1;
  }
  return halo_max(failed) > 0.0;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  solver_t s;
  if (create(&s, o, how) != 0) app_no_memory(&app);
  begin(&s);
  app_clock_start();
  const int done = solve(&s, o->steps, first);
  app_clock_stop();
  /* The count of the original program: 4 for the products, 6 for the sums, 27 non-zeros in each row. */
  const double cells = (double)s.nx * (double)s.ny * (double)s.nz;
  app_result_t result = {.work = 1e-6 * (4 + 6 + 2 * 27) * cells * done,
                         .checksum = checksum(&s, done),
                         .wrong = differs(&s),
                         .unchecked = !converged(&s)};
  if (first && o->image != NULL) result.wrong |= draw(&s, done, o->image);
  destroy(&s);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
