/* The heat field: a plate of rows x cols cells, cold inside, its rim held at 1, split by rows among
 * the PEs. */
#ifndef HEAT_FIELD_H
#define HEAT_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "halo/halo.h"

typedef struct heat_field {
  int rows, cols;     /* of the whole plate, without the rim */
  int first;          /* my first row, counted from 1 */
  int mine;           /* how many rows I have */
  double *now, *next; /* (mine + 2) x (cols + 2) */
  halo_t* halo;       /* sends my edge rows to the neighbours; each PE has a row, because rows >= PEs */
  int above, below;   /* the links, or -1 at the rim */
} heat_field_t;

/* Collective. Returns non-zero if there is not enough memory. */
int heat_create(heat_field_t* field, int rows, int cols, sync_how_t how);
void heat_destroy(heat_field_t* field);

/* One Jacobi step. Collective. */
void heat_step(heat_field_t* field);

/* Collective; the results are the same on every PE: the mean of all cells, and a checksum of the bits and places of all
 * cells, which does not depend on the number of PEs. */
double heat_mean(const heat_field_t* field);
uint64_t heat_checksum(const heat_field_t* field);

/* Collective: copies row `row` (1 .. rows) of the plate, rim included, from its owner to all PEs. */
void heat_get_row(const heat_field_t* field, int row, double* to);
/* Collective: whether a neighbour's row that the last exchange brought to this PE differs from the neighbour's own. No
 * step reads these rows any more, so that no result shows their faults. */
int heat_edges_differ(const heat_field_t* field);

#endif
