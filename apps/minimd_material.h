/* The material of the crystal. */
#ifndef MINIMD_MATERIAL_H
#define MINIMD_MATERIAL_H

typedef enum potential {
  POTENTIAL_LJ, /* Lennard-Jones pairs, in reduced units */
  POTENTIAL_EAM /* embedded atoms: copper, in angstrom, picoseconds and electronvolts */
} potential_t;

/* A face-centred lattice has four atoms in each cube. Each material has its own units of length, energy and mass, from
 * which the unit of time follows. */
typedef struct material {
  potential_t potential;
  double edge;              /* of a cube of the lattice */
  double mass;              /* of an atom */
  double boltzmann;         /* energy per temperature */
  double temperature, step; /* initial temperature; time step */
  double cut, skin;         /* forces reach to cut, lists to cut + skin */
  double pressure;          /* the printed value of one unit of energy per volume */
  double drift;             /* allowed change of the energy per atom */
} material_t;

/* The values of --potential in the order of potential_t, then NULL. */
extern const char* const potential_names[];
material_t material_of(potential_t potential);

#endif
