/* Finite elements: heat conduction in a cube, assembled and solved by conjugate gradients.
 *
 *     oshrun -n 4 minife [elements] [--scaling strong|weak] [--steps N] [--image FILE.svg] ...
 *
 * Each PE has a box of nodes with up to 26 neighbours. It multiplies the rows that need no remote data while messages
 * are in transit. The first residual is known for some sizes, the value in the middle for all sizes. After the timed
 * part every exchange is compared with what must arrive, and the residual with b - A x. A run that stops before it has
 * converged is unchecked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curve.h"
#include "halo/app.h"
#include "minife_matrix.h"

static const double tolerance = 2.22e-16, exact_middle = 0.2228794945;
enum { checked_exchanges = 4 }; /* as many as an exchange has buffers, or more */
enum { block = 512 };           /* rows of a partial sum: the total does not depend on the number of threads */

typedef struct solver {
  mesh_t mesh;
  system_t a;
  halo_t* halo;
  double *x, *r, *p, *q, *partial; /* p also has values of other PEs */
  double alpha, beta, *residual;   /* of each iteration */
  const double *u, *v;             /* of the dot product */
  int done, wrong;
  double assembly; /* seconds */
} solver_t;

/* ---- vectors, by threads */

typedef struct work {
  solver_t* s;
  void (*what)(solver_t*, long from, long to);
  long first, parts;
} work_t;

static void my_part(int thread, void* of) {
  const work_t* w = of;
  long from, to;
  share(w->parts, threads_count(), thread, &from, &to);
  w->what(w->s, w->first + from, w->first + to);
}

static void on_rows(solver_t* s, void (*what)(solver_t*, long, long), long from, long to) {
  work_t w = {s, what, from, to - from};
  threads_run(my_part, &w);
}

static long blocks(const solver_t* s) { return (s->a.rows + block - 1) / block; }

static void dot_blocks(solver_t* s, long from, long to) {
  for (long b = from; b < to; b++) {
    const long end = (b + 1) * block < s->a.rows ? (b + 1) * block : s->a.rows;
    double sum = 0.0;
    for (long i = b * block; i < end; i++) sum += s->u[i] * s->v[i];
    s->partial[b] = sum;
  }
}

static double dot(solver_t* s, const double* u, const double* v) {
  double sum = 0.0;
  s->u = u;
  s->v = v;
  on_rows(s, dot_blocks, 0, blocks(s));
  for (long b = 0; b < blocks(s); b++) sum += s->partial[b];
  return halo_sum(sum);
}

static void direction(solver_t* s, long from, long to) {
  for (long i = from; i < to; i++) s->p[i] = s->r[i] + s->beta * s->p[i];
}

static void advance(solver_t* s, long from, long to) {
  for (long i = from; i < to; i++) {
    s->x[i] += s->alpha * s->p[i];
    s->r[i] -= s->alpha * s->q[i];
  }
}

static void times(solver_t* s, long from, long to) { system_times(&s->a, s->p, s->q, from, to); }

/* ---- the product, which overlaps the exchange */

static void pack(solver_t* s) {
  timers_enter(PHASE_PACK);
  for (int k = 0; k < s->mesh.neighbours; k++) {
    const neighbour_t* to = &s->mesh.neighbour[k];
    double* message = halo_out(s->halo, k);
    for (long i = 0; i < to->sends; i++) message[i] = s->p[to->node[i]];
    halo_size(s->halo, k, (size_t)to->sends * sizeof(double));
  }
}

static void unpack(solver_t* s) {
  timers_enter(PHASE_PACK);
  for (int k = 0; k < s->mesh.neighbours; k++) {
    const neighbour_t* from = &s->mesh.neighbour[k];
    size_t bytes;
    const void* message = halo_in(s->halo, k, &bytes);
    const size_t expected = (size_t)from->comes * sizeof(double);
    memcpy(s->p + from->first, message, bytes < expected ? bytes : expected);
  }
  timers_enter(PHASE_COMPUTE);
}

static void multiply(solver_t* s) {
  pack(s);
  halo_send(s->halo);
  timers_enter(PHASE_COMPUTE);
  on_rows(s, times, 0, s->a.inner);
  halo_wait(s->halo);
  unpack(s);
  on_rows(s, times, s->a.inner, s->a.rows);
}

static void solve(solver_t* s, int iterations) {
  double last = 0.0;
  for (s->done = 0;; s->done++) {
    const double rr = dot(s, s->r, s->r);
    s->residual[s->done] = sqrt(rr);
    if (s->done == iterations || sqrt(rr) <= tolerance) return;
    s->beta = s->done == 0 ? 0.0 : rr / last;
    on_rows(s, direction, 0, s->a.rows);
    multiply(s);
    s->alpha = rr / dot(s, s->p, s->q);
    on_rows(s, advance, 0, s->a.rows);
    last = rr;
  }
}

/* ---- making and ending */

static halo_t* link_neighbours(const mesh_t* m, sync_how_t how) {
  halo_link_t* link = malloc(((size_t)m->neighbours + 1) * sizeof *link);
  long most = 0;
  if (link == NULL) return NULL;
  for (int k = 0; k < m->neighbours; k++) {
    link[k] = (halo_link_t){m->neighbour[k].pe, m->neighbour[k].there};
    if (m->neighbour[k].sends > most) most = m->neighbour[k].sends;
  }
  halo_t* halo = halo_create(how, m->neighbours, link, (size_t)most * sizeof(double));
  free(link);
  return halo;
}

static int create(solver_t* s, long n, int iterations, sync_how_t how) {
  *s = (solver_t){0};
  if (mesh_create(&s->mesh, n) != 0) return 1;
  const double start = timers_now();
  if (system_create(&s->a, &s->mesh) != 0) return 1;
  s->assembly = halo_max(timers_now() - start);
  const size_t rows = (size_t)s->a.rows;
  s->x = calloc(rows, sizeof(double));
  s->r = malloc(rows * sizeof(double));
  s->q = malloc(rows * sizeof(double));
  s->p = calloc((size_t)s->mesh.all, sizeof(double));
  s->partial = malloc((size_t)blocks(s) * sizeof(double));
  s->residual = malloc(((size_t)iterations + 1) * sizeof(double));
  s->halo = link_neighbours(&s->mesh, how);
  if (s->x == NULL || s->r == NULL || s->q == NULL || s->p == NULL || s->partial == NULL || s->residual == NULL ||
      s->halo == NULL)
    return 1;
  memcpy(s->r, s->a.right, rows * sizeof(double));
  return 0;
}

static void destroy(solver_t* s) {
  halo_destroy(s->halo);
  system_destroy(&s->a);
  mesh_destroy(&s->mesh);
  free(s->x), free(s->r), free(s->q), free(s->p), free(s->partial), free(s->residual);
}

/* ---- what is known */

static const struct {
  long n;
  double first, middle; /* residual, value */
} known[] = {
    {8, 9.0311241977, 0.2165802},   {16, 17.022326931, 0.22138768}, {30, 31.013966536, 0.22245942},
    {32, 33.013241237, 0.22251046}, {64, 65.007196212, 0.22278747},
};

/* The mean of the nodes around the middle: one node, or eight. */
static double middle(const solver_t* s) {
  const long low = s->mesh.n / 2, high = (s->mesh.n + 1) / 2;
  const box_t* b = &s->mesh.mine;
  double sum = 0.0;
  long node[3];
  for (node[2] = low; node[2] <= high; node[2]++)
    for (node[1] = low; node[1] <= high; node[1]++)
      for (node[0] = low; node[0] <= high; node[0]++) {
        int mine = 1;
        for (int d = 0; d < 3; d++) mine &= node[d] >= b->low[d] && node[d] < b->high[d];
        if (mine) sum += s->x[mesh_local(&s->mesh, node)];
      }
  return halo_sum(sum) / (low == high ? 1.0 : 8.0);
}

static int converged(const solver_t* s) { return s->residual[s->done] <= 1e-13; }

/* Checks the first and the last residual only, because those between depend on rounding. With too few iterations only
 * the first can be checked. */
static int differs(const solver_t* s, int iterations) {
  const double n = (double)s->mesh.n, value = middle(s), last = s->residual[s->done];
  int wrong = !isfinite(last) || !isfinite(value);
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].n != s->mesh.n) continue;
    wrong |= !(fabs(s->residual[0] - known[i].first) <= 1e-8 * known[i].first);
    wrong |= converged(s) && !(fabs(value - known[i].middle) <= 1e-7);
  }
  wrong |= !converged(s) && iterations >= 200 && s->mesh.n <= 48;
  const double near = s->mesh.n % 2 == 0 ? 0.45 : 0.65; /* the mean of eight is less exact */
  return wrong || (converged(s) && !(fabs(value - exact_middle) <= near / (n * n)));
}

/* Visits the nodes of `around`: their local number, and a number that is the same on all PEs. */
static void each_node(const mesh_t* m, void (*visit)(solver_t*, long local, double value), solver_t* s, int k) {
  const box_t* b = &m->around;
  const long side = m->n + 1;
  long node[3];
  for (node[2] = b->low[2]; node[2] < b->high[2]; node[2]++)
    for (node[1] = b->low[1]; node[1] < b->high[1]; node[1]++)
      for (node[0] = b->low[0]; node[0] < b->high[0]; node[0]++)
        visit(s, mesh_local(m, node), (double)(((node[2] * side + node[1]) * side + node[0]) * 5 + k));
}
static void set_own(solver_t* s, long local, double value) {
  if (local < s->mesh.nodes) s->p[local] = value;
}
static void compare(solver_t* s, long local, double value) { s->wrong |= s->p[local] != value; }

/* Collective. Every element that arrives is compared. */
static void check_exchange(solver_t* s) {
  for (int k = 0; k < checked_exchanges; k++) {
    each_node(&s->mesh, set_own, s, k);
    multiply(s);
    each_node(&s->mesh, compare, s, k);
  }
}

/* Collective. The residual that conjugate gradients carry along drifts from b - A x by rounding only. */
static void check_residual(solver_t* s) {
  memcpy(s->p, s->x, (size_t)s->a.rows * sizeof(double));
  multiply(s);
  for (long i = 0; i < s->a.rows; i++) s->q[i] = s->a.right[i] - s->q[i] - s->r[i];
  s->wrong |= !(sqrt(dot(s, s->q, s->q)) <= 1e-13 * s->residual[0]);
}

static void print(const solver_t* s) {
  const double value = middle(s);
  if (halo_me() != 0) return;
  printf("assembly in %.6f s\n", s->assembly);
  for (int k = 0; k <= s->done; k++)
    if (k % 20 == 0 || k == s->done) printf("residual %3d  %.9e\n", k, s->residual[k]);
  printf("middle   %.9f  exact %.9f\n", value, exact_middle);
}

/* Of the solution and of all residuals: at the end the solution no longer shows a small error. */
static uint64_t checksum(const solver_t* s) {
  const box_t* b = &s->mesh.mine;
  const uint64_t side = (uint64_t)s->mesh.n + 1;
  uint64_t sum = 0, bits;
  const double* x = s->x;
  for (int k = 0; k <= s->done && halo_me() == 0; k++) {
    memcpy(&bits, &s->residual[k], sizeof bits);
    sum += bits * (2 * (uint64_t)k + 1);
  }
  for (long k = b->low[2]; k < b->high[2]; k++)
    for (long j = b->low[1]; j < b->high[1]; j++)
      for (long i = b->low[0]; i < b->high[0]; i++, x++) {
        memcpy(&bits, x, sizeof bits);
        sum += bits * (2 * (((uint64_t)k * side + (uint64_t)j) * side + (uint64_t)i) + 1);
      }
  return halo_sum_u64(sum);
}

/* ---- the app */

static long elements_of(const app_options_t* o) {
  return o->weak ? lround((double)o->number[0] * cbrt(halo_pes())) : o->number[0];
}

static const char* refuse(const app_options_t* o) {
  if (elements_of(o) > 2000) return "there are more than 2000 elements along a side";
  return mesh_thinnest(elements_of(o), halo_pes()) < 1 ? "some PEs would have no elements" : NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "minife",
                          .usage = "[elements] [--scaling strong|weak] [--steps N] [--image FILE.svg]",
                          .unit = "Mflop/s",
                          .numbers = 1,
                          .standard = {.number = {48}, .steps = 200, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .refuse = refuse,
                          .run = run};

/* Collective. */
static int draw(const solver_t* s, const char* path) {
  int failed = 0;
  if (halo_me() == 0 && curve_write(path, "miniFE: residual after each iteration", s->residual, s->done + 1) != 0) {
    perror(path);
    failed = 1;
  }
  return halo_max(failed) > 0.0;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  solver_t s;
  if (create(&s, elements_of(o), o->steps, how) != 0) app_no_memory(&app);
  app_clock_start();
  solve(&s, o->steps);
  app_clock_stop();
  if (first) print(&s);
  const double side = (double)s.mesh.n + 1, nonzeros = pow(3 * side - 2, 3);
  app_result_t result = {.work = 1e-6 * (2 * nonzeros + 13 * side * side * side) * s.done,
                         .checksum = checksum(&s),
                         .unchecked = !converged(&s)};
  check_residual(&s);
  check_exchange(&s);
  result.wrong = halo_sum(s.wrong || differs(&s, o->steps)) > 0.0;
  if (first && o->image != NULL) result.wrong |= draw(&s, o->image);
  destroy(&s);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
