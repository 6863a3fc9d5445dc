#include "minimd_force.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "halo/halo.h"
#include "minimd_eam.h"

enum { most_near = 192 }; /* usual counts are 78 for lj and 107 for copper */

void force_create(force_t* f, const material_t* m) {
  *f = (force_t){.potential = m->potential, .cut = m->cut, .skin = m->skin};
}

void force_destroy(force_t* f) {
  free(f->near), free(f->count), free(f->energy), free(f->virial), free(f->embedding), free(f->first), free(f->next);
}

/* ---- by threads: one atom after the other */

typedef void atom_job_t(force_t* f, atoms_t* a, int i);

typedef struct job {
  force_t* force;
  atoms_t* atoms;
  atom_job_t* one;
} job_t;

static void part(int thread, void* of) {
  const job_t* job = of;
  long from, to;
  share(job->atoms->mine, threads_count(), thread, &from, &to);
  for (long i = from; i < to; i++) job->one(job->force, job->atoms, (int)i);
}

static void each_atom(force_t* f, const atoms_t* a, atom_job_t* one) {
  job_t job = {f, (atoms_t*)a, one};
  threads_run(part, &job);
}

/* ---- memory */

static void* renew(void* old, size_t bytes) {
  free(old);
  void* fresh = malloc(bytes);
  if (fresh == NULL) halo_abort(3);
  return fresh;
}

static void reserve(force_t* f, const atoms_t* a, int bins) {
  if (bins > f->bin_room) {
    f->bin_room = bins;
    f->first = renew(f->first, (size_t)bins * sizeof *f->first);
  }
  if (a->room > f->next_room) {
    f->next_room = a->room;
    f->next = renew(f->next, (size_t)a->room * sizeof *f->next);
    f->embedding = renew(f->embedding, (size_t)a->room * sizeof *f->embedding);
  }
  if (a->mine <= f->room) return;
  f->room = a->mine + a->mine / 4 + 64;
  f->near = renew(f->near, (size_t)f->room * most_near * sizeof *f->near);
  f->count = renew(f->count, (size_t)f->room * sizeof *f->count);
  f->energy = renew(f->energy, (size_t)f->room * sizeof *f->energy);
  f->virial = renew(f->virial, (size_t)f->room * sizeof *f->virial);
}

/* ---- bins, which cover this block and its ghosts; a bin is at least as wide as cut + skin */

/* Also returns a valid bin for a position that is not a number: a wrong run must reach its final check. */
static int bin_along(const force_t* f, const vector_t x, int d) {
  const double place = (x[d] - f->bin_low[d]) * f->bin_scale[d];
  if (!(place > 0.0)) return 0;
  return place < f->bins[d] ? (int)place : f->bins[d] - 1;
}

static int bin_of(const force_t* f, int x, int y, int z) { return (z * f->bins[1] + y) * f->bins[0] + x; }

static void fill_bins(force_t* f, const atoms_t* a) {
  const double reach = f->cut + f->skin;
  int bins = 1;
  for (int d = 0; d < 3; d++) {
    const double width = a->high[d] - a->low[d] + 2 * reach;
    f->bin_low[d] = a->low[d] - reach;
    f->bins[d] = (int)(width / reach);
    f->bin_scale[d] = f->bins[d] / width;
    bins *= f->bins[d];
  }
  reserve(f, a, bins);
  for (int b = 0; b < bins; b++) f->first[b] = -1;
  for (int i = a->mine + a->ghosts - 1; i >= 0; i--) {
    const double* x = a->x[i];
    const int b = bin_of(f, bin_along(f, x, 0), bin_along(f, x, 1), bin_along(f, x, 2));
    f->next[i] = f->first[b];
    f->first[b] = i;
  }
}

/* ---- lists */

static void add_near(const force_t* f, const atoms_t* a, int i, int b, int* near, int* count) {
  const double limit = (f->cut + f->skin) * (f->cut + f->skin), *x = a->x[i];
  for (int j = f->first[b]; j >= 0; j = f->next[j]) {
    const double dx = x[0] - a->x[j][0], dy = x[1] - a->x[j][1], dz = x[2] - a->x[j][2];
    if (j == i || !(dx * dx + dy * dy + dz * dz <= limit)) continue;
    if (*count < most_near) near[*count] = j;
    ++*count;
  }
}

static void list_one(force_t* f, atoms_t* a, int i) {
  int from[3], to[3], count = 0;
  for (int d = 0; d < 3; d++) {
    const int bin = bin_along(f, a->x[i], d);
    from[d] = bin > 0 ? bin - 1 : 0;
    to[d] = bin < f->bins[d] - 1 ? bin + 1 : bin;
  }
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      for (int x = from[0]; x <= to[0]; x++)
        add_near(f, a, i, bin_of(f, x, y, z), f->near + (size_t)i * most_near, &count);
  f->count[i] = count;
}

void force_lists(force_t* f, const atoms_t* a) {
  fill_bins(f, a);
  each_atom(f, a, list_one);
  for (int i = 0; i < a->mine; i++) {
    if (f->count[i] <= most_near) continue;
    fprintf(stderr,
            "minimd: PE %d: atom %lld has %d others within %g, at most %d are possible: "
            "positions are wrong\n",
            halo_me(), (long long)a->id[i], f->count[i], f->cut + f->skin, most_near);
    halo_abort(4);
  }
}

/* ---- pairs: 4 (r^-12 - r^-6), not shifted */

static void pairs_one(force_t* f, atoms_t* a, int i) {
  const double limit = f->cut * f->cut, *x = a->x[i];
  const int* near = f->near + (size_t)i * most_near;
  double fx = 0.0, fy = 0.0, fz = 0.0, energy = 0.0, virial = 0.0;
  for (int k = 0; k < f->count[i]; k++) {
    const double* other = a->x[near[k]];
    const double dx = x[0] - other[0], dy = x[1] - other[1], dz = x[2] - other[2];
    const double square = dx * dx + dy * dy + dz * dz;
    if (!(square < limit)) continue;
    const double inverse = 1.0 / square, sixth = inverse * inverse * inverse;
    const double force = 48.0 * sixth * (sixth - 0.5) * inverse;
    fx += dx * force, fy += dy * force, fz += dz * force;
    energy += 4.0 * sixth * (sixth - 1.0);
    virial += square * force;
  }
  a->f[i][0] = fx, a->f[i][1] = fy, a->f[i][2] = fz;
  f->energy[i] = 0.5 * energy;
  f->virial[i] = 0.5 * virial;
}

/* ---- embedded atoms */

static void embed_one(force_t* f, atoms_t* a, int i) {
  const double limit = f->cut * f->cut, *x = a->x[i];
  const int* near = f->near + (size_t)i * most_near;
  double density = 0.0;
  for (int k = 0; k < f->count[i]; k++) {
    const double* other = a->x[near[k]];
    const double dx = x[0] - other[0], dy = x[1] - other[1], dz = x[2] - other[2];
    const double square = dx * dx + dy * dy + dz * dz;
    if (square < limit) density += eam_density(sqrt(square)).value;
  }
  f->energy[i] = -eam_hopping * sqrt(density);
  f->embedding[i] = density > 0.0 ? -0.5 * eam_hopping / sqrt(density) : 0.0;
}

/* Needs the embedding of all neighbours, including ghosts. */
static void embedded_one(force_t* f, atoms_t* a, int i) {
  const double limit = f->cut * f->cut, *x = a->x[i];
  const int* near = f->near + (size_t)i * most_near;
  double fx = 0.0, fy = 0.0, fz = 0.0, energy = 0.0, virial = 0.0;
  for (int k = 0; k < f->count[i]; k++) {
    const int j = near[k];
    const double dx = x[0] - a->x[j][0], dy = x[1] - a->x[j][1], dz = x[2] - a->x[j][2];
    const double square = dx * dx + dy * dy + dz * dz;
    if (!(square < limit)) continue;
    const double r = sqrt(square);
    const eam_term_t repelling = eam_repelling(r), density = eam_density(r);
    const double slope = 2.0 * eam_repulsion * repelling.slope + (f->embedding[i] + f->embedding[j]) * density.slope;
    const double force = -slope / r;
    fx += dx * force, fy += dy * force, fz += dz * force;
    energy += eam_repulsion * repelling.value;
    virial += square * force;
  }
  a->f[i][0] = fx, a->f[i][1] = fy, a->f[i][2] = fz;
  f->energy[i] += energy;
  f->virial[i] = 0.5 * virial;
}

void force_compute(force_t* f, atoms_t* a, comm_t* c) {
  if (f->potential == POTENTIAL_LJ) {
    each_atom(f, a, pairs_one);
    return;
  }
  each_atom(f, a, embed_one);
  comm_forward_number(c, f->embedding);
  each_atom(f, a, embedded_one);
}

static double sum(const double* of, int n) {
  double all = 0.0;
  for (int i = 0; i < n; i++) all += of[i];
  return all;
}

double force_energy(const force_t* f, const atoms_t* a) { return sum(f->energy, a->mine); }

double force_virial(const force_t* f, const atoms_t* a) { return sum(f->virial, a->mine); }
