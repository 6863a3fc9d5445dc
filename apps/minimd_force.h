/* Forces between atoms that are near, from lists that hold for some steps. */
#ifndef MINIMD_FORCE_H
#define MINIMD_FORCE_H

#include "minimd_atoms.h"
#include "minimd_comm.h"

typedef struct force {
  potential_t potential;
  double cut, skin;        /* the list sees cut + skin */
  int *near, *count, room; /* up to most_near of each of my atoms */
  double *energy, *virial; /* of each of my atoms; each pair counts half */
  double* embedding;       /* eam: what an atom's energy gains by density, of mine and ghosts */
  int *first, *next;       /* bins: their first atom, and the next in the same bin */
  int bins[3], bin_room, next_room;
  vector_t bin_low;
  double bin_scale[3];
} force_t;

void force_create(force_t* f, const material_t* material);
void force_destroy(force_t* f);
/* Both by threads. The lists hold until an atom has moved by half the skin. */
void force_lists(force_t* f, const atoms_t* a);
/* Collective: what embeds an atom is told to those who have it as a ghost. */
void force_compute(force_t* f, atoms_t* a, comm_t* c);
/* Sums over my atoms. */
double force_energy(const force_t* f, const atoms_t* a);
double force_virial(const force_t* f, const atoms_t* a);

#endif
