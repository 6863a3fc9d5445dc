/* The 27-point matrix of a chimney nx x ny x nz, cut in planes of z: compressed rows, with the
 * columns of the plane below and of the plane above after my own. */
#ifndef HPCCG_MATRIX_H
#define HPCCG_MATRIX_H

#include <stdint.h>

typedef struct matrix {
  long plane;           /* nx * ny */
  long planes, rows;    /* mine */
  long nnz;             /* mine */
  long *begin, *column; /* of row i: begin[i] .. begin[i + 1] - 1 */
  double* value;
} matrix_t;

/* Planes first .. first + planes - 1 of nz are mine. Non-zero: not enough memory. */
int matrix_create(matrix_t* a, long nx, long ny, long nz, long first, long planes);
void matrix_destroy(matrix_t* a);
/* y = A x for the rows of my planes from .. to - 1; x has rows + 2 * plane elements. */
void matrix_times(const matrix_t* a, const double* x, double* y, long from, long to);

#endif
