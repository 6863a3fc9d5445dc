#include "minimd_atoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/halo.h"

/* ---- the grid of PEs */

void atoms_grid(int pes, int grid[3]) {
  long least = -1;
  for (int x = 1; x <= pes; x++) {
    if (pes % x != 0) continue;
    for (int y = 1; y <= pes / x; y++) {
      if (pes / x % y != 0) continue;
      const int z = pes / x / y;
      /* The block is 1/x by 1/y by 1/z: its surface, times all PEs. */
      const long surface = (long)x + y + z;
      if (least >= 0 && surface >= least) continue;
      least = surface;
      grid[0] = x, grid[1] = y, grid[2] = z;
    }
  }
}

int atoms_pe_at(const atoms_t* a, int x, int y, int z) {
  const int* g = a->grid;
  return ((z + g[2]) % g[2] * g[1] + (y + g[1]) % g[1]) * g[0] + (x + g[0]) % g[0];
}

static void find_block(atoms_t* a) {
  atoms_grid(halo_pes(), a->grid);
  a->place[0] = halo_me() % a->grid[0];
  a->place[1] = halo_me() / a->grid[0] % a->grid[1];
  a->place[2] = halo_me() / a->grid[0] / a->grid[1];
  for (int d = 0; d < 3; d++) {
    a->low[d] = a->side * a->place[d] / a->grid[d];
    a->high[d] = a->side * (a->place[d] + 1) / a->grid[d];
  }
}

/* ---- memory */

static void grow(void* array, size_t element, int n) {
  void* memory;
  memcpy(&memory, array, sizeof memory);
  memory = realloc(memory, (size_t)n * element);
  if (memory == NULL) halo_abort(3);
  memcpy(array, &memory, sizeof memory);
}

void atoms_reserve(atoms_t* a, int n) {
  if (n <= a->room) return;
  a->room = n + n / 4 + 64;
  grow(&a->x, sizeof *a->x, a->room);
  grow(&a->v, sizeof *a->v, a->room);
  grow(&a->f, sizeof *a->f, a->room);
  grow(&a->id, sizeof *a->id, a->room);
}

void atoms_destroy(atoms_t* a) { free(a->x), free(a->v), free(a->f), free(a->id); }

/* ---- the start */

/* The minimal standard generator of Park and Miller. */
static double random_next(int64_t* seed) {
  *seed = *seed * 16807 % 2147483647;
  return (double)*seed / 2147483647.0;
}

/* Uses every sixth random number, from a seed of the atom's own. */
static void random_velocity(int64_t seed, vector_t v) {
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < 6; i++) v[d] = random_next(&seed);
}

static void fill(atoms_t* a, long cells) {
  const double half = 0.5 * a->material.edge;
  const long n = 2 * cells;
  for (long k = 0; k < n; k++)
    for (long j = 0; j < n; j++)
      for (long i = (k + j) % 2; i < n; i += 2) {
        const vector_t x = {half * (double)i, half * (double)j, half * (double)k};
        int here = 1;
        for (int d = 0; d < 3; d++) here &= x[d] >= a->low[d] && x[d] < a->high[d];
        if (!here) continue;
        atoms_reserve(a, a->mine + 1);
        memcpy(a->x[a->mine], x, sizeof x);
        a->id[a->mine] = (k * n + j) * n + i + 1;
        random_velocity(a->id[a->mine], a->v[a->mine]);
        a->mine++;
      }
}

static void take_momentum_away(atoms_t* a) {
  for (int d = 0; d < 3; d++) {
    double sum = 0.0;
    for (int i = 0; i < a->mine; i++) sum += a->v[i][d];
    const double mean = halo_sum(sum) / (double)a->all;
    for (int i = 0; i < a->mine; i++) a->v[i][d] -= mean;
  }
}

int atoms_create(atoms_t* a, const material_t* material, long cells) {
  *a = (atoms_t){.material = *material, .all = 4 * cells * cells * cells, .side = (double)cells * material->edge};
  find_block(a);
  atoms_reserve(a, 1);
  fill(a, cells);
  take_momentum_away(a);
  const double factor = sqrt(material->temperature / atoms_temperature(a));
  for (int i = 0; i < a->mine; i++)
    for (int d = 0; d < 3; d++) a->v[i][d] *= factor;
  return halo_sum_u64((uint64_t)a->mine) != (uint64_t)a->all;
}

/* ---- sums */

double atoms_temperature(const atoms_t* a) {
  double sum = 0.0;
  for (int i = 0; i < a->mine; i++)
    for (int d = 0; d < 3; d++) sum += a->v[i][d] * a->v[i][d];
  return a->material.mass * halo_sum(sum) / (a->material.boltzmann * (3.0 * (double)a->all - 3.0));
}

double atoms_momentum(const atoms_t* a) {
  double worst = 0.0;
  for (int d = 0; d < 3; d++) {
    double sum = 0.0;
    for (int i = 0; i < a->mine; i++) sum += a->v[i][d];
    sum = fabs(halo_sum(sum)) / (double)a->all;
    if (!(sum <= worst)) worst = sum;
  }
  return worst;
}

uint64_t atoms_checksum(const atoms_t* a) {
  uint64_t sum = 0, bits[6];
  for (int i = 0; i < a->mine; i++) {
    memcpy(bits, a->x[i], sizeof(vector_t));
    memcpy(bits + 3, a->v[i], sizeof(vector_t));
    for (uint64_t d = 0; d < 6; d++) sum += bits[d] * (12 * (uint64_t)a->id[i] + 2 * d + 1);
  }
  return halo_sum_u64(sum);
}
