/* Ways to remap besides those of halo.h: the strategies of oshen/exchange.h over OpenSHMEM, MPI_Alltoallv over MPI. */
#ifndef REMAP_OWN_H
#define REMAP_OWN_H

#include "remap_layout.h"

typedef struct remap_own remap_own_t;
typedef struct own_plan own_plan_t;

/* The name of a way; NULL past the last. */
const char* remap_own_way(int way);
/* Collective. Makes room for two sets of `fields` grids, each of at most `elements` on any PE. Returns NULL if there is
 * not enough memory. */
remap_own_t* remap_own_open(int way, int fields, long elements);
void remap_own_close(remap_own_t* own);
/* The memory of set 0 or 1: field after field, each of `elements`. */
element_t* remap_own_grids(remap_own_t* own, int set);
/* Collective. Ends the job if the transport cannot make the plan. */
own_plan_t* remap_own_plan(remap_own_t* own, const remap_t* r);
void remap_own_plan_end(own_plan_t* plan);
void remap_own_run(own_plan_t* plan, const element_t* in, element_t* out);

#endif
