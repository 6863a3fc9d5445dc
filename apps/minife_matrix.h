/* Steady heat conduction with a source of 1 everywhere, in trilinear elements: compressed rows for
 * my nodes, with the conditions of the faces put in. */
#ifndef MINIFE_MATRIX_H
#define MINIFE_MATRIX_H

#include "minife_mesh.h"

typedef struct system {
  long rows, *begin, *column;
  double *value, *right;
  long inner, *order; /* the rows: first those that need nothing of others, `inner` of them */
} system_t;

/* Non-zero: not enough memory. */
int system_create(system_t* s, const mesh_t* m);
void system_destroy(system_t* s);
/* y = A x for rows from .. to - 1 of the order. */
void system_times(const system_t* s, const double* x, double* y, long from, long to);

#endif
