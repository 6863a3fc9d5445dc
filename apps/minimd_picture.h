/* Draws the box as seen from above. */
#ifndef MINIMD_PICTURE_H
#define MINIMD_PICTURE_H

#include "minimd_atoms.h"

/* Collective; PE 0 writes a PPM: the uppermost slice of atoms as balls, coloured by speed. Returns non-zero on all PEs
 * if it could not. */
int minimd_picture(const atoms_t* a, const char* path);

#endif
