/* Atoms of a box that is cut into a grid of blocks, one for each PE: first the PE's own atoms, then ghosts. */
#ifndef MINIMD_ATOMS_H
#define MINIMD_ATOMS_H

#include <stdint.h>

#include "minimd_material.h"

typedef double vector_t[3];

typedef struct atoms {
  material_t material;
  long all;              /* of all PEs */
  double side;           /* of the cubic box, which is periodic */
  int grid[3], place[3]; /* PEs along each axis; the position of this PE */
  vector_t low, high;    /* my block: low <= x < high */
  int mine, ghosts, room;
  vector_t *x, *v, *f; /* v: of own atoms only */
  int64_t* id;         /* place in the lattice, from 1; of own atoms only */
} atoms_t;

/* Collective. Makes a face-centred lattice of `cells` cubes along each axis, with the velocities of the original
 * program: no momentum, and the temperature of the material. Returns non-zero if there is not enough memory. */
int atoms_create(atoms_t* a, const material_t* material, long cells);
void atoms_destroy(atoms_t* a);
/* Makes room for `n` atoms; ends the job if there is not enough memory. */
void atoms_reserve(atoms_t* a, int n);
/* The PE at a place, which may be outside of the grid by one period. */
int atoms_pe_at(const atoms_t* a, int x, int y, int z);
/* Cuts `pes` into a grid with the smallest surface. */
void atoms_grid(int pes, int grid[3]);

/* The next three are collective and cover all PEs. */
double atoms_temperature(const atoms_t* a);
/* The largest component of the momentum, divided by the number of atoms. */
double atoms_momentum(const atoms_t* a);
/* A checksum of positions and velocities, which does not depend on the PEs that have the atoms. */
uint64_t atoms_checksum(const atoms_t* a);

#endif
