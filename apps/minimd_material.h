/* What the crystal is made of. */
#ifndef MINIMD_MATERIAL_H
#define MINIMD_MATERIAL_H

typedef enum potential {
  POTENTIAL_LJ, /* pairs: the noble gas of the field, in reduced units */
  POTENTIAL_EAM /* embedded atoms: copper, in angstrom, picoseconds and electronvolts */
} potential_t;

/* Four atoms in each cube of a face-centred lattice. Lengths, energies and masses are in units of its own, from which
 * that of time follows. */
typedef struct material {
  potential_t potential;
  double edge;              /* of a cube of the lattice */
  double mass;              /* of an atom */
  double boltzmann;         /* energy by temperature */
  double temperature, step; /* at the start; of time */
  double cut, skin;         /* atoms see as far as cut, lists as far as cut + skin */
  double pressure;          /* what is printed for one unit of energy by volume */
  double drift;             /* the energy of an atom may change by so much */
} material_t;

/* What --potential takes, in the order of potential_t, then NULL. */
extern const char* const potential_names[];
material_t material_of(potential_t potential);

#endif
