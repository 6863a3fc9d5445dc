/* The matrix of steady heat conduction with a source of 1 everywhere, in trilinear elements: compressed rows for the
 * nodes of this PE, with the boundary conditions applied. */
#ifndef MINIFE_MATRIX_H
#define MINIFE_MATRIX_H

#include "minife_mesh.h"

typedef struct system {
  long rows, *begin, *column;
  double *value, *right;
  long inner, *order; /* of the rows: the first `inner` ones need no remote data */
} system_t;

/* Returns non-zero if there is not enough memory. */
int system_create(system_t* s, const mesh_t* m);
void system_destroy(system_t* s);
/* y = A x for rows from .. to - 1 of the order. */
void system_times(const system_t* s, const double* x, double* y, long from, long to);

#endif
