/* A star-shaped stencil on a square that is cut into blocks: the derivative of a sloping plane,
 * which is the same everywhere.
 *
 *     oshrun -n 4 prk_stencil [side] [--scaling strong|weak] [--steps N] [--sync LIST|all] ...
 *
 * Each step adds the derivative to the result and 1 to the plane. After the steps, and one before
 * the clock starts, every point of the result is twice their number. Points that arrive without being needed, at the
 * edge of the square, are compared at once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"

enum { radius = 2, sides = 4 }; /* left, right, below, above */

typedef struct square {
  long n, low[2], high[2]; /* my block, of columns and rows */
  long width;              /* of a row of `in`: the block, and `radius` on each side */
  double *in, *out, weight[radius + 1];
  halo_t* halo;
  int links, link[sides]; /* -1 at the edge of the square */
  long steps, wrong;      /* done so far; points that are wrong and that the stencil does not need */
} square_t;

/* ---- blocks */

static int columns(void) {
  int best = 1;
  for (int p = 1; p * p <= halo_pes(); p++)
    if (halo_pes() % p == 0) best = p;
  return best;
}

/* The PE on the other side of a side of the block, or -1. */
static int behind(int pe, int side) {
  const int p = columns(), q = halo_pes() / p;
  const int x = pe % p + (side == 1) - (side == 0), y = pe / p + (side == 3) - (side == 2);
  return x < 0 || x == p || y < 0 || y == q ? -1 : y * p + x;
}

static void link_blocks(square_t* s, sync_how_t how) {
  halo_link_t link[sides];
  const long across = s->high[0] - s->low[0], up = s->high[1] - s->low[1];
  for (int side = 0; side < sides; side++) {
    const int pe = behind(halo_me(), side);
    s->link[side] = pe < 0 ? -1 : s->links;
    if (pe < 0) continue;
    link[s->links] = (halo_link_t){pe, 0};
    for (int other = 0; other < (side ^ 1); other++) link[s->links].there += behind(pe, other) >= 0;
    s->links++;
  }
  const size_t longest = (size_t)(across > up ? across : up);
  s->halo = halo_create(how, s->links, link, longest * radius * sizeof(double));
}

static double* in_at(const square_t* s, long x, long y) {
  return s->in + (y - s->low[1] + radius) * s->width + x - s->low[0] + radius;
}

/* The result has rows of another length: with equal ones, stores to it would delay loads of the plane, because the
 * addresses of both differ by a multiple of a page. */
static double* out_at(const square_t* s, long x, long y) {
  return s->out + (y - s->low[1]) * (s->high[0] - s->low[0]) + x - s->low[0];
}

/* ---- the exchange */

/* The range of the block's points along a side, or of those just outside of it. */
static void strip(const square_t* s, int side, int outside, long from[2], long to[2]) {
  const int axis = side / 2, upper = side % 2;
  for (int d = 0; d < 2; d++) from[d] = s->low[d], to[d] = s->high[d];
  if (upper) from[axis] = s->high[axis] - (outside ? 0 : radius);
  if (!upper) from[axis] = s->low[axis] - (outside ? radius : 0);
  to[axis] = from[axis] + radius;
}

static void pack(square_t* s, int side) {
  long from[2], to[2];
  double* message = halo_out(s->halo, s->link[side]);
  strip(s, side, 0, from, to);
  const size_t row = (size_t)(to[0] - from[0]);
  for (long y = from[1]; y < to[1]; y++, message += row) memcpy(message, in_at(s, from[0], y), row * sizeof *message);
  halo_size(s->halo, s->link[side], row * (size_t)(to[1] - from[1]) * sizeof *message);
}

static void unpack(square_t* s, int side) {
  long from[2], to[2];
  size_t bytes;
  const double* message = halo_in(s->halo, s->link[side], &bytes);
  strip(s, side, 1, from, to);
  const size_t row = (size_t)(to[0] - from[0]);
  for (long y = from[1]; y < to[1]; y++, message += row) memcpy(in_at(s, from[0], y), message, row * sizeof *message);
}

static int at_edge(const square_t* s, long place) { return place < radius || place >= s->n - radius; }

static void check_edge(square_t* s, int side) {
  const int along = side < 2;
  long from[2], to[2], at_point[2];
  strip(s, side, 1, from, to);
  for (at_point[1] = from[1]; at_point[1] < to[1]; at_point[1]++)
    for (at_point[0] = from[0]; at_point[0] < to[0]; at_point[0]++)
      if (at_edge(s, at_point[along]))
        s->wrong += *in_at(s, at_point[0], at_point[1]) != (double)(at_point[0] + at_point[1] + s->steps);
}

static void exchange(square_t* s) {
  timers_enter(PHASE_PACK);
  for (int side = 0; side < sides; side++)
    if (s->link[side] >= 0) pack(s, side);
  halo_send(s->halo);
  halo_wait(s->halo);
  timers_enter(PHASE_PACK);
  for (int side = 0; side < sides; side++)
    if (s->link[side] >= 0) unpack(s, side), check_edge(s, side);
  timers_enter(PHASE_COMPUTE);
}

/* ---- the stencil */

static long inner(const square_t* s, long low) {
  return low < radius ? radius : low > s->n - radius ? s->n - radius : low;
}

/* One row of the result. The compiler turns it into vector instructions, because rows do not overlap. */
static void stencil_row(const square_t* s, const double* restrict in, double* restrict out, long points) {
  const double near = s->weight[1], far = s->weight[2];
  const double *above = in + s->width, *below = in - s->width;
  const double *far_above = above + s->width, *far_below = below - s->width;
  for (long x = 0; x < points; x++)
    out[x] += near * (in[x + 1] - in[x - 1] + above[x] - below[x]) +
              far * (in[x + 2] - in[x - 2] + far_above[x] - far_below[x]);
}

/* The rows of one thread: of the result from .. to-1, of the plane low .. high-1. The thread alone reads free ..
 * bound-1 of these. */
typedef struct rows {
  long from, to, low, high, free, bound;
} rows_t;

static rows_t rows_of(const square_t* s, int thread) {
  const long first = inner(s, s->low[1]), last = inner(s, s->high[1]);
  rows_t r;
  share(last - first, threads_count(), thread, &r.from, &r.to);
  r.from += first, r.to += first;
  r.low = thread == 0 ? s->low[1] : r.from;
  r.high = thread == threads_count() - 1 ? s->high[1] : r.to;
  const int thick = r.to - r.from > 2 * radius;
  r.free = r.from + (thick ? radius : 0);
  r.bound = thick ? r.to - radius : r.free;
  return r;
}

static void add_one(const square_t* s, long y) {
  double* const row = in_at(s, s->low[0], y);
  for (long x = 0; x < s->high[0] - s->low[0]; x++) row[x] += 1.0;
}

/* Adds 1 to a row of the plane as soon as the last row of the result that needs it is done, while the row is in the
 * cache. */
static void stencil(int thread, void* of) {
  const square_t* s = of;
  const long left = inner(s, s->low[0]), right = inner(s, s->high[0]);
  const rows_t r = rows_of(s, thread);
  for (long y = r.from; y < r.to; y++) {
    stencil_row(s, in_at(s, left, y), out_at(s, left, y), right - left);
    if (y - radius >= r.free && y - radius < r.bound) add_one(s, y - radius);
  }
}

/* The rows that several threads read. */
static void add_to_others(int thread, void* of) {
  const square_t* s = of;
  const rows_t r = rows_of(s, thread);
  for (long y = r.low; y < r.free; y++) add_one(s, y);
  for (long y = r.bound; y < r.high; y++) add_one(s, y);
}

static void step(square_t* s) {
  exchange(s);
  threads_run(stencil, s);
  threads_run(add_to_others, s);
  s->steps++;
}

/* ---- making and judging */

static int create(square_t* s, long n, sync_how_t how) {
  const int p = columns();
  *s = (square_t){.n = n};
  share(n, p, halo_me() % p, &s->low[0], &s->high[0]);
  share(n, halo_pes() / p, halo_me() / p, &s->low[1], &s->high[1]);
  s->width = s->high[0] - s->low[0] + 2 * radius;
  const size_t cells = (size_t)s->width * (size_t)(s->high[1] - s->low[1] + 2 * radius);
  s->in = calloc(cells, sizeof(double));
  s->out = calloc((size_t)(s->high[0] - s->low[0]) * (size_t)(s->high[1] - s->low[1]), sizeof(double));
  link_blocks(s, how);
  if (s->in == NULL || s->out == NULL || s->halo == NULL) return 1;
  for (int i = 1; i <= radius; i++) s->weight[i] = 1.0 / (2.0 * i * radius);
  for (long y = s->low[1]; y < s->high[1]; y++)
    for (long x = s->low[0]; x < s->high[0]; x++) *in_at(s, x, y) = (double)(x + y);
  return 0;
}

static int differs(const square_t* s, int steps) {
  const double right = 2.0 * (steps + 1);
  long wrong = s->wrong;
  for (long y = inner(s, s->low[1]); y < inner(s, s->high[1]); y++)
    for (long x = inner(s, s->low[0]); x < inner(s, s->high[0]); x++)
      wrong += !(fabs(*out_at(s, x, y) - right) <= 1e-8);
  return halo_sum((double)wrong) > 0.0;
}

static uint64_t checksum(const square_t* s) {
  uint64_t sum = 0, bits;
  for (long y = s->low[1]; y < s->high[1]; y++)
    for (long x = s->low[0]; x < s->high[0]; x++) {
      memcpy(&bits, out_at(s, x, y), sizeof bits);
      sum += (bits ^ bits >> 31) * (2 * (uint64_t)(y * s->n + x) + 1);
    }
  return halo_sum_u64(sum);
}

/* ---- the app */

static long side_of(const app_options_t* o) {
  return o->weak ? lround((double)o->number[0] * sqrt(halo_pes())) : o->number[0];
}

static const char* refuse(const app_options_t* o) {
  if (o->image != NULL) return "--image: there is no picture of this";
  if (side_of(o) > 1000000) return "the side is longer than 1000000";
  if (side_of(o) <= 2 * radius) return "the side is shorter than 5";
  return side_of(o) / (halo_pes() / columns()) < radius ? "blocks would be thinner than 2" : NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "prk_stencil",
                          .usage = "[side] [--scaling strong|weak] [--steps N]",
                          .unit = "Mflop/s",
                          .numbers = 1,
                          .standard = {.number = {1000}, .steps = 100, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .refuse = refuse,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  square_t s;
  (void)first;
  if (create(&s, side_of(o), how) != 0) app_no_memory(&app);
  step(&s);
  app_clock_start();
  for (int i = 0; i < o->steps; i++) step(&s);
  app_clock_stop();
  const double points = (double)(s.n - 2 * radius) * (double)(s.n - 2 * radius);
  const app_result_t result = {.work = 1e-6 * (2 * (4 * radius + 1) + 1) * points * o->steps,
                               .checksum = checksum(&s),
                               .wrong = differs(&s, o->steps)};
  halo_destroy(s.halo);
  free(s.in), free(s.out);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
