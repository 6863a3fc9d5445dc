/* A cube of n^3 elements, halved again and again until each PE has a box; its nodes, and those
 * around it that belong to others. */
#ifndef MINIFE_MESH_H
#define MINIFE_MESH_H

#include "halo/halo.h"

/* Of elements or nodes: low <= i < high along x, y, z. */
typedef struct box {
  long low[3], high[3];
} box_t;

/* Another PE: the nodes that it needs from me, and where those that I need from it are kept. */
typedef struct neighbour {
  int pe, there;     /* which of its neighbours I am */
  long sends, *node; /* my local numbers */
  long first, comes; /* theirs follow mine */
} neighbour_t;

typedef struct mesh {
  long n;
  box_t mine;      /* nodes */
  box_t around;    /* mine and the next ones */
  long nodes, all; /* mine; with those of others */
  long* local;     /* local number of each node of `around`, x fastest */
  int neighbours;
  neighbour_t* neighbour;
} mesh_t;

long box_size(const box_t* b);
/* Non-zero: not enough memory. */
int mesh_create(mesh_t* m, long n);
void mesh_destroy(mesh_t* m);
long mesh_local(const mesh_t* m, const long node[3]);
/* The least elements along any axis that a box of `pes` PEs has. */
long mesh_thinnest(long n, int pes);

#endif
