#include "minife_mesh.h"

#include <stdlib.h>

long box_size(const box_t* b) {
  long size = 1;
  for (int d = 0; d < 3; d++) size *= b->high[d] > b->low[d] ? b->high[d] - b->low[d] : 0;
  return size;
}

static box_t intersection(const box_t* a, const box_t* b) {
  box_t c;
  for (int d = 0; d < 3; d++) {
    c.low[d] = a->low[d] > b->low[d] ? a->low[d] : b->low[d];
    c.high[d] = a->high[d] < b->high[d] ? a->high[d] : b->high[d];
  }
  return c;
}

/* Cuts the cube along z, y, x, z and so on; each part has elements in proportion to its PEs. */
static box_t elements_of(long n, int pes, int pe) {
  box_t b = {{0, 0, 0}, {n, n, n}};
  for (int axis = 2; pes > 1; axis = (axis + 2) % 3) {
    const int upper = pes / 2, lower = pes - upper;
    const long length = b.high[axis] - b.low[axis];
    const long cut = b.high[axis] - length * upper / pes;
    if (pe < lower) {
      b.high[axis] = cut;
      pes = lower;
    } else {
      b.low[axis] = cut;
      pe -= lower;
      pes = upper;
    }
  }
  return b;
}

/* A PE owns the first node of each of its elements; the last PE along an axis also owns the last node. */
static box_t nodes_of(long n, int pe) {
  box_t b = elements_of(n, halo_pes(), pe);
  for (int d = 0; d < 3; d++) b.high[d] += b.high[d] == n;
  return b;
}

static box_t wider(const box_t* b, long n) {
  box_t w = *b;
  for (int d = 0; d < 3; d++) {
    w.low[d] -= w.low[d] > 0;
    w.high[d] += w.high[d] <= n;
  }
  return w;
}

long mesh_thinnest(long n, int pes) {
  long least = n;
  for (int pe = 0; pe < pes; pe++) {
    const box_t b = elements_of(n, pes, pe);
    for (int d = 0; d < 3; d++)
      if (b.high[d] - b.low[d] < least) least = b.high[d] - b.low[d];
  }
  return least;
}

/* ---- local numbers */

static long* place(const mesh_t* m, const long node[3]) {
  const box_t* a = &m->around;
  const long nx = a->high[0] - a->low[0], ny = a->high[1] - a->low[1];
  return &m->local[((node[2] - a->low[2]) * ny + node[1] - a->low[1]) * nx + node[0] - a->low[0]];
}

long mesh_local(const mesh_t* m, const long node[3]) { return *place(m, node); }

/* Numbers the nodes of a box from *next, in the order that is the same on all PEs. */
static void number(mesh_t* m, const box_t* b, long* next) {
  long node[3];
  for (node[2] = b->low[2]; node[2] < b->high[2]; node[2]++)
    for (node[1] = b->low[1]; node[1] < b->high[1]; node[1]++)
      for (node[0] = b->low[0]; node[0] < b->high[0]; node[0]++) *place(m, node) = (*next)++;
}

static int list(const mesh_t* m, const box_t* b, neighbour_t* to) {
  long node[3];
  to->node = malloc((size_t)box_size(b) * sizeof *to->node);
  if (to->node == NULL) return 1;
  for (node[2] = b->low[2]; node[2] < b->high[2]; node[2]++)
    for (node[1] = b->low[1]; node[1] < b->high[1]; node[1]++)
      for (node[0] = b->low[0]; node[0] < b->high[0]; node[0]++) to->node[to->sends++] = mesh_local(m, node);
  return 0;
}

/* ---- neighbours */

static int related(long n, int pe, int other) {
  const box_t b = nodes_of(n, pe), w = wider(&b, n), o = nodes_of(n, other);
  const box_t common = intersection(&w, &o);
  return pe != other && box_size(&common) > 0;
}

static int add_neighbour(mesh_t* m, int pe) {
  neighbour_t* to = &m->neighbour[m->neighbours++];
  const box_t theirs = nodes_of(m->n, pe), around = wider(&theirs, m->n);
  const box_t needed = intersection(&m->around, &theirs);
  const box_t wanted = intersection(&around, &m->mine);
  *to = (neighbour_t){.pe = pe, .first = m->all};
  for (int other = 0; other < halo_me(); other++) to->there += related(m->n, pe, other);
  number(m, &needed, &m->all);
  to->comes = m->all - to->first;
  return list(m, &wanted, to);
}

int mesh_create(mesh_t* m, long n) {
  int failed = 0;
  *m = (mesh_t){.n = n, .mine = nodes_of(n, halo_me())};
  m->around = wider(&m->mine, n);
  m->local = malloc((size_t)box_size(&m->around) * sizeof *m->local);
  m->neighbour = malloc((size_t)halo_pes() * sizeof *m->neighbour);
  if (m->local == NULL || m->neighbour == NULL) return 1;
  number(m, &m->mine, &m->all);
  m->nodes = m->all;
  for (int pe = 0; pe < halo_pes(); pe++)
    if (related(n, halo_me(), pe)) failed |= add_neighbour(m, pe);
  return failed;
}

void mesh_destroy(mesh_t* m) {
  for (int i = 0; i < m->neighbours; i++) free(m->neighbour[i].node);
  free(m->neighbour), free(m->local);
}
