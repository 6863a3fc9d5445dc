/* A cube of n^3 elements, halved repeatedly until each PE has a box: the nodes of the box, and those around it that
 * belong to other PEs. */
#ifndef MINIFE_MESH_H
#define MINIFE_MESH_H

#include "halo/halo.h"

/* A box of elements or nodes: low <= i < high along x, y, z. */
typedef struct box {
  long low[3], high[3];
} box_t;

/* A neighbour PE: the nodes of this PE that it needs, and the place of its nodes that this PE needs. */
typedef struct neighbour {
  int pe, there;     /* `there`: the number of this PE among its neighbours */
  long sends, *node; /* count and local numbers of the nodes that it needs */
  long first, comes; /* first local number and count of the nodes that come from it */
} neighbour_t;

typedef struct mesh {
  long n;
  box_t mine;      /* nodes */
  box_t around;    /* `mine`, wider by one node on each side */
  long nodes, all; /* nodes of this PE; nodes including those of other PEs */
  long* local;     /* local number of each node of `around`, x fastest */
  int neighbours;
  neighbour_t* neighbour;
} mesh_t;

long box_size(const box_t* b);
/* Returns non-zero if there is not enough memory. */
int mesh_create(mesh_t* m, long n);
void mesh_destroy(mesh_t* m);
long mesh_local(const mesh_t* m, const long node[3]);
/* The smallest number of elements that any of the boxes of `pes` PEs has along any axis. */
long mesh_thinnest(long n, int pes);

#endif
