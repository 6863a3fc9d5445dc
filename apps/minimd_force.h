/* Short-range forces between atoms, by neighbour lists that are used for some steps. */
#ifndef MINIMD_FORCE_H
#define MINIMD_FORCE_H

#include "minimd_atoms.h"
#include "minimd_comm.h"

typedef struct force {
  potential_t potential;
  double cut, skin;        /* the lists reach to cut + skin */
  int *near, *count, room; /* up to most_near neighbours of each own atom */
  double *energy, *virial; /* of each own atom, which has half of each pair */
  double* embedding;       /* eam: derivative of the energy by density, of own atoms and ghosts */
  int *first, *next;       /* bins: their first atom, and the next in the same bin */
  int bins[3], bin_room, next_room;
  vector_t bin_low;
  double bin_scale[3];
} force_t;

void force_create(force_t* f, const material_t* material);
void force_destroy(force_t* f);
/* Uses all threads, as force_compute does. The lists are valid until an atom has moved by half the skin. */
void force_lists(force_t* f, const atoms_t* a);
/* Collective: with eam it sends the embedding of atoms to the PEs that have them as ghosts. */
void force_compute(force_t* f, atoms_t* a, comm_t* c);
/* Sums over the atoms of this PE. */
double force_energy(const force_t* f, const atoms_t* a);
double force_virial(const force_t* f, const atoms_t* a);

#endif
