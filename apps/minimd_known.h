/* States of known boxes. */
#ifndef MINIMD_KNOWN_H
#define MINIMD_KNOWN_H

#include "minimd_material.h"

typedef struct state {
  double temperature, energy, pressure; /* energy: potential, by atom */
  double relative;                      /* relative accuracy of these values */
} state_t;

/* Looks up the state of a box with `cells` along each side after `step` steps; returns whether it is known. The initial
 * state of copper is known for any box, in closed form; the other states come from other programs. */
int minimd_known(const material_t* material, long cells, int step, state_t* state);

#endif
