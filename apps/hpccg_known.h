/* Norms of the residual of known grids, which other programs computed. */
#ifndef HPCCG_KNOWN_H
#define HPCCG_KNOWN_H

/* Of a cube of n^3 cells where iteration k starts; 0 when it is not known. */
double hpccg_known(long nx, long ny, long nz, int k);

#endif
