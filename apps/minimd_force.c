#include "minimd_force.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/halo.h"
#include "minimd_eam.h"

void force_create(force_t* f, const material_t* m) { *f = (force_t){.potential = m->potential, .cut = m->cut}; }

void force_destroy(force_t* f) { free(f->energy), free(f->virial), free(f->density), free(f->embedding); }

static double* renew(double* old, int n) {
  free(old);
  double* fresh = malloc((size_t)n * sizeof *fresh);
  if (fresh == NULL) halo_abort(3);
  return fresh;
}

static void reserve(force_t* f, int room) {
  if (room <= f->room) return;
  f->room = room;
  f->energy = renew(f->energy, room);
  f->virial = renew(f->virial, room);
  f->density = renew(f->density, room);
  f->embedding = renew(f->embedding, room);
}

/* ---- sweeps over all lists, by threads */

typedef struct job job_t;
/* Does the work of own atoms from .. to-1. */
typedef void sweep_t(const job_t* job, int from, int to);

struct job {
  force_t* force;
  atoms_t* atoms;
  const lists_t* lists;
  int sums;
  sweep_t* sweep;
  int colour;
};

static void part(int thread, void* of) {
  const job_t* job = of;
  long from, to;
  share(job->atoms->mine, threads_count(), thread, &from, &to);
  job->sweep(job, (int)from, (int)to);
}

/* Every second layer. A thread gets the layers whose middle lies in its share of the atoms. */
static void layers_part(int thread, void* of) {
  const job_t* job = of;
  const int *layer = job->lists->layer, layers = job->lists->bins[2];
  long all = 0, before = 0;
  for (int z = job->colour; z < layers; z += 2) all += layer[z + 1] - layer[z];
  for (int z = job->colour; z < layers; z += 2) {
    const long n = layer[z + 1] - layer[z];
    if (n == 0) continue;
    const long middle = 2 * before + n;
    if (threads_count() * middle / (2 * all) == thread) job->sweep(job, layer[z], layer[z + 1]);
    before += n;
  }
}

/* Half lists also write to the other atom of a pair, which is in the same layer or in the one above. So every second
 * layer is done first: no two threads write to one layer, and the order of the sums does not depend on the threads. */
static void each_list(job_t* job, sweep_t* sweep) {
  job->sweep = sweep;
  job->force->visited += (double)job->lists->pairs;
  if (job->lists->kind == LISTS_FULL) {
    threads_run(part, job);
    return;
  }
  for (job->colour = 0; job->colour < 2; job->colour++) threads_run(layers_part, job);
}

static void each_atom(job_t* job, sweep_t* sweep) {
  job->sweep = sweep;
  threads_run(part, job);
}

/* ---- the pairs of one atom */

typedef struct pairs {
  int n, other[most_near];
  double dx[most_near], dy[most_near], dz[most_near], square[most_near];
  double strength[most_near]; /* the force over the distance */
} pairs_t;

/* Takes the pairs within the cut-off out of a list, without a branch on the distance. */
static inline void find_pairs(const job_t* job, int i, pairs_t* p) {
  const lists_t* l = job->lists;
  const double limit = job->force->cut * job->force->cut, *x = job->atoms->x[i];
  const int *near = l->near + l->first[i], count = l->count[i];
  int n = 0;
  for (int k = 0; k < count; k++) {
    const int j = near[k];
    const double* other = job->atoms->x[j];
    const double dx = x[0] - other[0], dy = x[1] - other[1], dz = x[2] - other[2];
    const double square = dx * dx + dy * dy + dz * dz;
    p->other[n] = j;
    p->dx[n] = dx, p->dy[n] = dy, p->dz[n] = dz;
    p->square[n] = square;
    n += square < limit;
  }
  p->n = n;
}

/* Adds the forces of the pairs to atom `i`, and with half lists those of the opposite direction to the others. */
static inline void push(const job_t* job, int i, const pairs_t* p) {
  vector_t* restrict f = job->atoms->f;
  const int half = job->lists->kind == LISTS_HALF;
  double fx = 0.0, fy = 0.0, fz = 0.0;
  for (int k = 0; k < p->n; k++) {
    const double x = p->dx[k] * p->strength[k], y = p->dy[k] * p->strength[k], z = p->dz[k] * p->strength[k];
    fx += x, fy += y, fz += z;
    if (!half) continue;
    double* other = f[p->other[k]];
    other[0] -= x, other[1] -= y, other[2] -= z;
  }
  f[i][0] += fx, f[i][1] += fy, f[i][2] += fz;
}

/* The part of a pair that belongs to the list in which it is. */
static double part_of_pair(const lists_t* l) { return l->kind == LISTS_HALF ? 1.0 : 0.5; }

static double virial_of(const pairs_t* p) {
  double virial = 0.0;
  for (int k = 0; k < p->n; k++) virial += p->square[k] * p->strength[k];
  return virial;
}

/* ---- Lennard-Jones: 4 (r^-12 - r^-6), not shifted */

static double lj_energy(const pairs_t* p) {
  double energy = 0.0;
  for (int k = 0; k < p->n; k++) {
    const double inverse = 1.0 / p->square[k], sixth = inverse * inverse * inverse;
    energy += 4.0 * sixth * (sixth - 1.0);
  }
  return energy;
}

static void lj(const job_t* job, int from, int to) {
  pairs_t p;
  for (int i = from; i < to; i++) {
    find_pairs(job, i, &p);
    for (int k = 0; k < p.n; k++) {
      const double inverse = 1.0 / p.square[k], sixth = inverse * inverse * inverse;
      p.strength[k] = 48.0 * sixth * (sixth - 0.5) * inverse;
    }
    push(job, i, &p);
    if (!job->sums) continue;
    job->force->energy[i] = part_of_pair(job->lists) * lj_energy(&p);
    job->force->virial[i] = part_of_pair(job->lists) * virial_of(&p);
  }
}

/* ---- embedded atoms */

static void densities(const job_t* job, int from, int to) {
  double* restrict density = job->force->density;
  const int half = job->lists->kind == LISTS_HALF;
  pairs_t p;
  for (int i = from; i < to; i++) {
    double sum = 0.0;
    find_pairs(job, i, &p);
    for (int k = 0; k < p.n; k++) {
      const double term = eam_density(sqrt(p.square[k])).value;
      sum += term;
      if (half) density[p.other[k]] += term;
    }
    density[i] += sum;
  }
}

static void embed(const job_t* job, int from, int to) {
  force_t* f = job->force;
  for (int i = from; i < to; i++) {
    const double root = sqrt(f->density[i]);
    f->energy[i] = -eam_hopping * root;
    f->embedding[i] = root > 0.0 ? -0.5 * eam_hopping / root : 0.0;
  }
}

/* Needs the embedding of all atoms in the lists, including ghosts. */
static void embedded(const job_t* job, int from, int to) {
  force_t* f = job->force;
  pairs_t p;
  for (int i = from; i < to; i++) {
    double energy = 0.0;
    find_pairs(job, i, &p);
    for (int k = 0; k < p.n; k++) {
      const double r = sqrt(p.square[k]);
      const eam_term_t repelling = eam_repelling(r), density = eam_density(r);
      const double embedding = f->embedding[i] + f->embedding[p.other[k]];
      p.strength[k] = -(2.0 * eam_repulsion * repelling.slope + embedding * density.slope) / r;
      energy += 2.0 * eam_repulsion * repelling.value;
    }
    push(job, i, &p);
    f->energy[i] += part_of_pair(job->lists) * energy;
    f->virial[i] = part_of_pair(job->lists) * virial_of(&p);
  }
}

/* ---- all forces */

void force_compute(force_t* f, atoms_t* a, const lists_t* l, comm_t* c, int sums) {
  const size_t all = (size_t)(a->mine + a->ghosts);
  const int half = l->kind == LISTS_HALF;
  job_t job = {.force = f, .atoms = a, .lists = l, .sums = sums};
  reserve(f, a->room);
  memset(a->f, 0, all * sizeof *a->f);
  if (f->potential == POTENTIAL_LJ) {
    each_list(&job, lj);
  } else {
    memset(f->density, 0, all * sizeof *f->density);
    each_list(&job, densities);
    if (half) comm_reverse_number(c, f->density);
    each_atom(&job, embed);
    comm_forward_number(c, f->embedding);
    each_list(&job, embedded);
  }
  if (half) comm_reverse(c, a);
}

static double sum(const double* of, int n) {
  double all = 0.0;
  for (int i = 0; i < n; i++) all += of[i];
  return all;
}

double force_energy(const force_t* f, const atoms_t* a) { return sum(f->energy, a->mine); }

double force_virial(const force_t* f, const atoms_t* a) { return sum(f->virial, a->mine); }
