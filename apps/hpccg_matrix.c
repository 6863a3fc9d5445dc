#include "hpccg_matrix.h"

#include <stdlib.h>

typedef struct chimney {
  long nx, ny, nz, first, planes;
} chimney_t;

/* The columns of this PE come first, in their order, then the plane below, then the plane above. */
static long column_of(const chimney_t* c, long x, long y, long z) {
  const long plane = c->nx * c->ny, in_plane = y * c->nx + x;
  if (z < c->first) return c->planes * plane + in_plane;
  if (z >= c->first + c->planes) return (c->planes + 1) * plane + in_plane;
  return (z - c->first) * plane + in_plane;
}

static void add_row(matrix_t* a, const chimney_t* c, long x, long y, long z) {
  for (long k = z - 1; k <= z + 1; k++)
    for (long j = y - 1; j <= y + 1; j++)
      for (long i = x - 1; i <= x + 1; i++) {
        if (i < 0 || i >= c->nx || j < 0 || j >= c->ny || k < 0 || k >= c->nz) continue;
        a->column[a->nnz] = column_of(c, i, j, k);
        a->value[a->nnz++] = i == x && j == y && k == z ? 27.0 : -1.0;
      }
}

int matrix_create(matrix_t* a, long nx, long ny, long nz, long first, long planes) {
  const chimney_t c = {nx, ny, nz, first, planes};
  *a = (matrix_t){.plane = nx * ny, .planes = planes, .rows = nx * ny * planes};
  a->begin = malloc(((size_t)a->rows + 1) * sizeof *a->begin);
  a->column = malloc(27 * (size_t)a->rows * sizeof *a->column);
  a->value = malloc(27 * (size_t)a->rows * sizeof *a->value);
  if (a->begin == NULL || a->column == NULL || a->value == NULL) return 1;
  for (long i = 0; i < a->rows; i++) {
    a->begin[i] = a->nnz;
    add_row(a, &c, i % nx, i / nx % ny, first + i / (nx * ny));
  }
  a->begin[a->rows] = a->nnz;
  return 0;
}

void matrix_destroy(matrix_t* a) {
  free(a->begin);
  free(a->column);
  free(a->value);
}

void matrix_times(const matrix_t* a, const double* x, double* y, long from, long to) {
  for (long i = from * a->plane; i < to * a->plane; i++) {
    double sum = 0.0;
    for (long k = a->begin[i]; k < a->begin[i + 1]; k++) sum += a->value[k] * x[a->column[k]];
    y[i] = sum;
  }
}
