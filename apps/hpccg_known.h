/* Norms of the residual for some grids, computed by other programs. */
#ifndef HPCCG_KNOWN_H
#define HPCCG_KNOWN_H

/* The norm at the start of iteration k for a cube of n^3 cells; 0 if it is not known. */
double hpccg_known(long nx, long ny, long nz, int k);

#endif
