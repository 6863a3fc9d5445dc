/* Remaps of a 3-D grid between pencils along its three axes, as a distributed FFT does them.
 *
 *     oshrun -n 4 remap3d [fast mid slow] [--steps N] [--sync LIST|all] ...
 *
 * A step has four remaps, two forward and two back, each of four complex grids at once. The value of an element names
 * its place and its step; after each remap all elements are compared, bit for bit.
 */
#include <stdlib.h>
#include <string.h>

#include "halo/app.h"
#include "remap_layout.h"
#include "remap_own.h"

enum { fields = 4, remaps = 4 };

/* The axes of the pencils before and after each remap. */
static const int route[remaps + 1] = {0, 1, 2, 1, 0};

typedef struct one_remap {
  remap_t plan;
  own_plan_t* own;
} one_remap_t;

typedef struct cube {
  long n[3], elements; /* `elements`: the most of any layout of any PE */
  one_remap_t remap[remaps];
  halo_t* halo[remaps / 2]; /* the remaps back use the same links */
  remap_own_t* own;         /* or NULL */
  element_t *grids, *other; /* field after field */
  layout_t layout;          /* of `grids` */
  long step, *wrong;        /* `wrong`: elements, for each thread */
} cube_t;

/* ---- the elements */

static element_t value(const cube_t* c, int field, const long at[3]) {
  return (element_t){(double)((at[2] * c->n[1] + at[1]) * c->n[0] + at[0]), (double)(c->step * fields + field)};
}

typedef struct visit {
  cube_t* cube;
  long (*row)(const cube_t*, int field, long at[3], element_t* row);
} visit_t;

/* Each thread visits a part of the outermost axis. */
static void visit_part(int thread, void* of) {
  const visit_t* v = of;
  const layout_t* l = &v->cube->layout;
  const int* o = l->order;
  long from, to, at[3], wrong = 0;
  share(l->high[o[2]] - l->low[o[2]], threads_count(), thread, &from, &to);
  const long row = l->high[o[0]] - l->low[o[0]], rows = l->high[o[1]] - l->low[o[1]];
  for (int field = 0; field < fields; field++)
    for (long k = from; k < to; k++)
      for (long j = 0; j < rows; j++) {
        at[o[0]] = l->low[o[0]];
        at[o[1]] = l->low[o[1]] + j;
        at[o[2]] = l->low[o[2]] + k;
        element_t* first = v->cube->grids + field * v->cube->elements + (k * rows + j) * row;
        wrong += v->row(v->cube, field, at, first);
      }
  v->cube->wrong[thread] += wrong;
}

static void visit_all(cube_t* c, long (*row)(const cube_t*, int, long*, element_t*)) {
  visit_t v = {c, row};
  threads_run(visit_part, &v);
}

static long fill_row(const cube_t* c, int field, long at[3], element_t* row) {
  const int axis = c->layout.order[0];
  for (; at[axis] < c->layout.high[axis]; at[axis]++) *row++ = value(c, field, at);
  return 0;
}

static long compare_row(const cube_t* c, int field, long at[3], element_t* row) {
  const int axis = c->layout.order[0];
  long wrong = 0;
  for (; at[axis] < c->layout.high[axis]; at[axis]++, row++) {
    const element_t right = value(c, field, at);
    wrong += memcmp(row, &right, sizeof right) != 0;
  }
  return wrong;
}

/* ---- a remap by messages */

typedef struct copy_job {
  const cube_t* cube;
  const piece_t* piece;
  element_t* message;
  const element_t* arrived;
} copy_job_t;

static void pack_part(int thread, void* of) {
  const copy_job_t* job = of;
  long before, size = part_size(&job->piece->send);
  const part_t mine = part_cut(&job->piece->send, threads_count(), thread, &before);
  for (int f = 0; f < fields; f++)
    part_pack(&mine, job->cube->grids + f * job->cube->elements, job->message + f * size + before);
}

static void unpack_part(int thread, void* of) {
  const copy_job_t* job = of;
  long before, size = part_size(&job->piece->receive);
  const part_t mine = part_cut(&job->piece->receive, threads_count(), thread, &before);
  for (int f = 0; f < fields; f++)
    part_unpack(&mine, job->arrived + f * size + before, job->cube->other + f * job->cube->elements);
}

static void by_messages(cube_t* c, halo_t* halo, const remap_t* r) {
  timers_enter(PHASE_PACK);
  for (int i = 0; i < r->pieces; i++) {
    copy_job_t job = {c, &r->piece[i], halo_out(halo, i), NULL};
    threads_run(pack_part, &job);
    halo_size(halo, i, (size_t)(fields * part_size(&r->piece[i].send)) * sizeof(element_t));
  }
  halo_send(halo);
  halo_wait(halo);
  for (int i = 0; i < r->pieces; i++) {
    size_t bytes;
    copy_job_t job = {c, &r->piece[i], NULL, halo_in(halo, i, &bytes)};
    threads_run(unpack_part, &job);
  }
  timers_enter(PHASE_COMPUTE);
}

static void do_remap(cube_t* c, int i) {
  if (c->own != NULL)
    remap_own_run(c->remap[i].own, c->grids, c->other);
  else
    by_messages(c, c->halo[i == 0 || i == 3 ? 0 : 1], &c->remap[i].plan);
  element_t* const now = c->other;
  c->other = c->grids;
  c->grids = now;
  c->layout = layout_of(c->n, route[i + 1], halo_me());
}

/* ---- making and ending */

static halo_t* link_pieces(const remap_t* there, const remap_t* back, sync_how_t how) {
  halo_link_t* link = malloc(((size_t)there->pieces + 1) * sizeof *link);
  long most = 0;
  if (link == NULL) return NULL;
  for (int i = 0; i < there->pieces; i++) {
    const piece_t* p = &there->piece[i];
    link[i] = (halo_link_t){p->pe, p->there};
    if (part_size(&p->send) > most) most = part_size(&p->send);
    if (part_size(&back->piece[i].send) > most) most = part_size(&back->piece[i].send);
  }
  halo_t* halo = halo_create(how, there->pieces, link, (size_t)(fields * most) * sizeof(element_t));
  free(link);
  return halo;
}

static void measure(cube_t* c) {
  long most = 1;
  for (int axis = 0; axis < 3; axis++) {
    const layout_t l = layout_of(c->n, axis, halo_me());
    if (layout_size(&l) > most) most = layout_size(&l);
  }
  c->elements = (long)halo_max((double)most);
}

static int create_transport(cube_t* c, sync_how_t how) {
  const size_t bytes = (size_t)(fields * c->elements) * sizeof(element_t);
  if (how >= SYNCS) {
    c->own = remap_own_open((int)how - SYNCS, fields, c->elements);
    if (c->own == NULL) return 1;
    for (int i = 0; i < remaps; i++) c->remap[i].own = remap_own_plan(c->own, &c->remap[i].plan);
    c->grids = remap_own_grids(c->own, 0);
    c->other = remap_own_grids(c->own, 1);
    return 0;
  }
  for (int i = 0; i < remaps / 2; i++) c->halo[i] = link_pieces(&c->remap[i].plan, &c->remap[remaps - 1 - i].plan, how);
  c->grids = malloc(bytes);
  c->other = malloc(bytes);
  return c->grids == NULL || c->other == NULL || c->halo[0] == NULL || c->halo[1] == NULL;
}

static int create(cube_t* c, const app_options_t* o, sync_how_t how) {
  int failed = 0;
  *c = (cube_t){.n = {o->number[0], o->number[1], o->number[2]}};
  if (o->weak) c->n[2] *= halo_pes();
  measure(c);
  for (int i = 0; i < remaps; i++) failed |= remap_create(&c->remap[i].plan, c->n, route[i], route[i + 1]);
  c->wrong = calloc((size_t)threads_count(), sizeof *c->wrong);
  c->layout = layout_of(c->n, route[0], halo_me());
  return failed || c->wrong == NULL || create_transport(c, how);
}

static void destroy(cube_t* c) {
  for (int i = 0; i < remaps; i++) {
    if (c->own != NULL) remap_own_plan_end(c->remap[i].own);
    remap_destroy(&c->remap[i].plan);
  }
  if (c->own != NULL) {
    remap_own_close(c->own);
  } else {
    for (int i = 0; i < remaps / 2; i++) halo_destroy(c->halo[i]);
    free(c->grids), free(c->other);
  }
  free(c->wrong);
}

static uint64_t checksum(const cube_t* c) {
  uint64_t sum = 0, bits[2];
  const long size = layout_size(&c->layout);
  for (int f = 0; f < fields; f++)
    for (long i = 0; i < size; i++) {
      memcpy(bits, &c->grids[f * c->elements + i], sizeof bits);
      bits[0] = (bits[0] ^ bits[1] >> 7) * 0x9E3779B97F4A7C15u;
      sum += bits[0] ^ bits[0] >> 29;
    }
  return halo_sum_u64(sum);
}

/* ---- the app */

static const char* refuse(const app_options_t* o) {
  if (o->image != NULL) return "--image: there is no picture of this";
  for (int i = 0; i < 3; i++) {
    if (o->number[i] > 10000) return "a side is longer than 10000";
    if (o->number[i] < halo_pes()) return "a side is shorter than there are PEs";
  }
  return NULL;
}

static app_result_t run(const app_options_t* o, sync_how_t how, int first);

static const app_t app = {.name = "remap3d",
                          .usage = "[fast mid slow] [--scaling strong|weak] [--steps N]",
                          .unit = "GB/s",
                          .numbers = 3,
                          .standard = {.number = {64, 64, 64}, .steps = 25, .threads = 1, .syncs = 1u << SYNC_BARRIER},
                          .own_way = remap_own_way,
                          .refuse = refuse,
                          .run = run};

static app_result_t run(const app_options_t* o, sync_how_t how, int first) {
  cube_t c;
  (void)first;
  if (create(&c, o, how) != 0) app_no_memory(&app);
  app_clock_start();
  for (c.step = 0; c.step < o->steps; c.step++) {
    visit_all(&c, fill_row);
    for (int i = 0; i < remaps; i++) {
      do_remap(&c, i);
      visit_all(&c, compare_row);
    }
  }
  app_clock_stop();
  double wrong = 0.0;
  for (int t = 0; t < threads_count(); t++) wrong += (double)c.wrong[t];
  const double bytes = (double)(c.n[0] * c.n[1] * c.n[2]) * fields * sizeof(element_t);
  const app_result_t result = {
      .work = 1e-9 * bytes * remaps * o->steps, .checksum = checksum(&c), .wrong = halo_sum(wrong) > 0.0};
  destroy(&c);
  return result;
}

int main(int argc, char** argv) { return app_main(&app, argc, argv); }
