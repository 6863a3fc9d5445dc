/* States of known boxes. */
#ifndef MINIMD_KNOWN_H
#define MINIMD_KNOWN_H

#include "minimd_material.h"

typedef struct state {
  double temperature, energy, pressure; /* energy: potential, by atom */
  double relative;                      /* how well it is known */
} state_t;

/* Of a box of `cells` along each side after `step` steps: whether it is known. Before the first step that of copper is,
 * for any box, in closed form; the others come from other programs. */
int minimd_known(const material_t* material, long cells, int step, state_t* state);

#endif
