/* The heat field: a plate of rows x cols cells, cold inside, its rim held at 1, split by rows among
 * the PEs. */
#ifndef HEAT_FIELD_H
#define HEAT_FIELD_H

#include <stddef.h>
#include <stdint.h>

typedef struct heat_field {
  int rows, cols;     /* of the whole plate, without the rim */
  int first;          /* my first row, counted from 1 */
  int mine;           /* how many rows I have */
  double *now, *next; /* symmetric: (most rows of any PE + 2) x (cols + 2) */
} heat_field_t;

/* First row and number of rows of one PE; rows >= PEs gives everyone one. */
void heat_share(int rows, int n_pes, int pe, int* first, int* mine);

/* Collective. Non-zero when the symmetric heap is too small. */
int heat_create(heat_field_t* field, int rows, int cols);
void heat_destroy(heat_field_t* field);

/* One Jacobi step with the new edge rows put to the neighbours. Collective. */
void heat_step(heat_field_t* field);

/* Collective, the same on every PE: the mean over all cells, and a sum of the bits of every cell
 * with its place, which does not depend on the number of PEs. */
double heat_mean(const heat_field_t* field);
uint64_t heat_checksum(const heat_field_t* field);

/* Copies row `row` (1 .. rows) of the plate, rim included, from its owner. One-sided. */
void heat_get_row(const heat_field_t* field, int row, double* to);

#endif
