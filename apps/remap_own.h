/* Ways to remap that the transport has of its own, besides those of halo.h: over OpenSHMEM the
 * strategies of oshen/exchange.h, over MPI MPI_Alltoallv. */
#ifndef REMAP_OWN_H
#define REMAP_OWN_H

#include "remap_layout.h"

typedef struct remap_own remap_own_t;
typedef struct own_plan own_plan_t;

/* Name of a way, NULL past the last. */
const char* remap_own_way(int way);
/* Collective. Room for two sets of `fields` grids, each of at most `elements` on any PE. NULL: not
 * enough memory. */
remap_own_t* remap_own_open(int way, int fields, long elements);
void remap_own_close(remap_own_t* own);
/* Where set 0 or 1 lies: field after field, each of `elements`. */
element_t* remap_own_grids(remap_own_t* own, int set);
/* Collective. Ends the job when the transport refuses. */
own_plan_t* remap_own_plan(remap_own_t* own, const remap_t* r);
void remap_own_plan_end(own_plan_t* plan);
void remap_own_run(own_plan_t* plan, const element_t* in, element_t* out);

#endif
