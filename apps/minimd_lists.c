#include "minimd_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/halo.h"

const char* const lists_names[] = {"half", "full", NULL};

/* ---- memory */

static void* renew(void* old, size_t bytes) {
  free(old);
  void* fresh = malloc(bytes);
  if (fresh == NULL) halo_abort(3);
  return fresh;
}

static void reserve(lists_t* l, const atoms_t* a) {
  if (a->room > l->room) {
    l->room = a->room;
    l->bin = renew(l->bin, (size_t)l->room * sizeof *l->bin);
    l->member = renew(l->member, (size_t)l->room * sizeof *l->member);
    l->place = renew(l->place, (size_t)l->room * sizeof *l->place);
  }
  if (a->mine <= l->list_room) return;
  l->list_room = a->mine + a->mine / 4 + 64;
  l->near = renew(l->near, (size_t)l->list_room * most_near * sizeof *l->near);
  l->count = renew(l->count, (size_t)l->list_room * sizeof *l->count);
  l->first = renew(l->first, (size_t)l->list_room * sizeof *l->first);
}

void lists_create(lists_t* l, lists_kind_t kind, const atoms_t* a, double reach) {
  *l = (lists_t){.kind = kind, .reach = reach};
  for (int d = 0; d < 3; d++) {
    const double width = a->high[d] - a->low[d] + 2 * reach;
    l->bin_low[d] = a->low[d] - reach;
    l->bins[d] = (int)(width / reach);
    l->bin_scale[d] = l->bins[d] / width;
  }
  const size_t bins = (size_t)l->bins[0] * (size_t)l->bins[1] * (size_t)l->bins[2];
  l->start = renew(NULL, (bins + 1) * sizeof *l->start);
  l->layer = renew(NULL, ((size_t)l->bins[2] + 1) * sizeof *l->layer);
}

void lists_destroy(lists_t* l) {
  free(l->start), free(l->layer), free(l->bin), free(l->member), free(l->place);
  free(l->near), free(l->count), free(l->first);
}

/* ---- bins */

/* Also returns a valid bin for a position that is not a number: a wrong run must reach its final check. */
static int bin_along(const lists_t* l, const vector_t x, int d) {
  const double place = (x[d] - l->bin_low[d]) * l->bin_scale[d];
  if (!(place > 0.0)) return 0;
  return place < l->bins[d] ? (int)place : l->bins[d] - 1;
}

static int bin_of(const lists_t* l, int x, int y, int z) { return (z * l->bins[1] + y) * l->bins[0] + x; }

/* Fills `bin`, `start` and `member` for the first `n` atoms. */
static void fill_bins(lists_t* l, const atoms_t* a, int n) {
  const int bins = bin_of(l, 0, 0, l->bins[2]);
  memset(l->start, 0, ((size_t)bins + 1) * sizeof *l->start);
  for (int i = 0; i < n; i++) {
    const double* x = a->x[i];
    l->bin[i] = bin_of(l, bin_along(l, x, 0), bin_along(l, x, 1), bin_along(l, x, 2));
    l->start[l->bin[i] + 1]++;
  }
  for (int b = 0; b < bins; b++) l->start[b + 1] += l->start[b];
  for (int i = 0; i < n; i++) l->member[l->start[l->bin[i]]++] = i;
  /* Each start has moved to the next one. */
  memmove(l->start + 1, l->start, (size_t)bins * sizeof *l->start);
  l->start[0] = 0;
}

/* Gives an array the order of `member`. */
static void sort(const lists_t* l, void* array, size_t element, int n) {
  char *from = array, *to = (char*)l->place;
  for (int i = 0; i < n; i++) memcpy(to + (size_t)i * element, from + (size_t)l->member[i] * element, element);
  memcpy(from, to, (size_t)n * element);
}

void lists_sort(lists_t* l, atoms_t* a) {
  reserve(l, a);
  fill_bins(l, a, a->mine);
  for (int z = 0; z <= l->bins[2]; z++) l->layer[z] = l->start[bin_of(l, 0, 0, z)];
  sort(l, a->x, sizeof *a->x, a->mine);
  sort(l, a->v, sizeof *a->v, a->mine);
  sort(l, a->id, sizeof *a->id, a->mine);
}

/* ---- lists */

typedef enum wanted { ANY, OTHERS, UPPER } wanted_t;

static inline int is_upper(const double* other, const double* x) {
  return (other[2] > x[2]) | ((other[2] == x[2]) & ((other[1] > x[1]) | ((other[1] == x[1]) & (other[0] > x[0]))));
}

/* Adds the atoms within reach of atom `i` among some members of the bins; returns the new length of the list. There is
 * no branch on the distance, which no processor could predict. */
static inline int add_near(const lists_t* l, const atoms_t* a, int i, int from, int to, wanted_t wanted, int* near,
                           int count) {
  const double limit = l->reach * l->reach, *x = a->x[i];
  for (int k = from; k < to; k++) {
    const double* other = l->place[k];
    const double dx = x[0] - other[0], dy = x[1] - other[1], dz = x[2] - other[2];
    int is_near = dx * dx + dy * dy + dz * dz <= limit;
    if (wanted == OTHERS) is_near &= l->member[k] != i;
    if (wanted == UPPER) is_near &= is_upper(other, x);
    if (count < most_near) near[count] = l->member[k];
    count += is_near;
  }
  return count;
}

static int list_one(const lists_t* l, const atoms_t* a, int i, int* near) {
  int from[3], to[3], count = 0;
  for (int d = 0; d < 3; d++) {
    const int bin = bin_along(l, a->x[i], d);
    from[d] = bin > 0 ? bin - 1 : 0;
    to[d] = bin < l->bins[d] - 1 ? bin + 1 : bin;
  }
  const int own = bin_along(l, a->x[i], 2);
  for (int z = l->kind == LISTS_HALF ? own : from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++) {
      const int first = l->start[bin_of(l, from[0], y, z)], end = l->start[bin_of(l, to[0], y, z) + 1];
      if (l->kind == LISTS_FULL)
        count = add_near(l, a, i, first, end, OTHERS, near, count);
      else if (z == own)
        count = add_near(l, a, i, first, end, UPPER, near, count);
      else
        count = add_near(l, a, i, first, end, ANY, near, count);
    }
  return count;
}

typedef struct job {
  lists_t* lists;
  const atoms_t* atoms;
} job_t;

/* The lists of one thread follow each other without gaps. */
static void list_part(int thread, void* of) {
  const job_t* job = of;
  lists_t* l = job->lists;
  long from, to;
  share(job->atoms->mine, threads_count(), thread, &from, &to);
  long place = from * most_near;
  for (long i = from; i < to; i++) {
    l->first[i] = place;
    l->count[i] = list_one(l, job->atoms, (int)i, l->near + place);
    place += l->count[i] < most_near ? l->count[i] : most_near;
  }
}

void lists_make(lists_t* l, const atoms_t* a) {
  const int all = a->mine + a->ghosts;
  job_t job = {l, a};
  reserve(l, a);
  fill_bins(l, a, all);
  for (int k = 0; k < all; k++) memcpy(l->place[k], a->x[l->member[k]], sizeof *l->place);
  threads_run(list_part, &job);
  l->pairs = 0;
  for (int i = 0; i < a->mine; i++) {
    l->pairs += l->count[i];
    if (l->count[i] <= most_near) continue;
    fprintf(stderr,
            "minimd: PE %d: atom %lld has %d others within %g, at most %d are possible: "
            "positions are wrong\n",
            halo_me(), (long long)a->id[i], l->count[i], l->reach, most_near);
    halo_abort(4);
  }
}
