/* A grid of complex numbers in three layouts, each with whole pencils along one axis, and the messages that turn one
 * layout into another. */
#ifndef REMAP_LAYOUT_H
#define REMAP_LAYOUT_H

#include <stddef.h>

typedef struct element {
  double real, imaginary;
} element_t;

/* The indices of a PE along fast, mid and slow, and the order of its memory. */
typedef struct layout {
  long low[3], high[3];
  int order[3]; /* the axis whose index runs fastest, and the next two */
} layout_t;

/* Part of a layout, in elements; its axes are listed as the memory of the receiver has them. */
typedef struct part {
  long offset, extent[3], stride[3];
} part_t;

/* The parts that this PE sends to a PE and receives from it. Either may be empty. */
typedef struct piece {
  int pe, there; /* `there`: the index of its piece for this PE */
  part_t send, receive;
} piece_t;

typedef struct remap {
  int pieces;
  piece_t* piece;
} remap_t;

/* PE `pe`'s layout with pencils along `axis`, of a grid n[0] x n[1] x n[2]. */
layout_t layout_of(const long n[3], int axis, int pe);
long layout_size(const layout_t* l);
/* Plans a remap from pencils along one axis to pencils along another. Returns non-zero if there is not enough memory.
 */
int remap_create(remap_t* r, const long n[3], int from, int to);
void remap_destroy(remap_t* r);
long part_size(const part_t* p);
/* Cuts a part along its outermost axis into `parts`, and returns number `which`; *before: elements before it. */
part_t part_cut(const part_t* p, int parts, int which, long* before);
/* Copy between a grid and a contiguous message. */
void part_pack(const part_t* p, const element_t* grid, element_t* message);
void part_unpack(const part_t* p, const element_t* message, element_t* grid);

#endif
