/* Short-range forces between atoms, by neighbour lists. */
#ifndef MINIMD_FORCE_H
#define MINIMD_FORCE_H

#include "minimd_atoms.h"
#include "minimd_comm.h"
#include "minimd_lists.h"

typedef struct force {
  potential_t potential;
  double cut;
  int room;
  double *energy, *virial; /* of the pairs in the list of each own atom */
  double *density,
      *embedding; /* eam, of own atoms and ghosts; the second is the derivative of the energy by the first */
  double visited; /* pairs, in all computations */
} force_t;

void force_create(force_t* f, const material_t* material);
void force_destroy(force_t* f);
/* Collective, and uses all threads. With half lists the forces on ghosts go back to the PEs that own the atoms. With
 * eam the densities of ghosts go back first, and the embedding of atoms goes to their ghosts. `sums`: also the energy
 * and the virial. */
void force_compute(force_t* f, atoms_t* a, const lists_t* l, comm_t* c, int sums);
/* Sums over the atoms of this PE, as of the last computation that had `sums`. */
double force_energy(const force_t* f, const atoms_t* a);
double force_virial(const force_t* f, const atoms_t* a);

#endif
