/* A grid of complex numbers in three layouts, each with whole pencils along one axis, and what goes
 * to whom when one becomes another. */
#ifndef REMAP_LAYOUT_H
#define REMAP_LAYOUT_H

#include <stddef.h>

typedef struct element {
  double real, imaginary;
} element_t;

/* Which indices a PE has along fast, mid and slow, and how its memory is ordered. */
typedef struct layout {
  long low[3], high[3];
  int order[3]; /* the axis whose index runs fastest, and the next two */
} layout_t;

/* Part of a layout, in elements; its axes are listed as the memory of the receiver has them. */
typedef struct part {
  long offset, extent[3], stride[3];
} part_t;

/* What I send to a PE and get from it. Either may be empty. */
typedef struct piece {
  int pe, there; /* which of its pieces is for me */
  part_t send, receive;
} piece_t;

typedef struct remap {
  int pieces;
  piece_t* piece;
} remap_t;

/* Of PE `pe`: the layout with pencils along `axis`, of a grid n[0] x n[1] x n[2]. */
layout_t layout_of(const long n[3], int axis, int pe);
long layout_size(const layout_t* l);
/* From pencils along one axis to pencils along another. Non-zero: not enough memory. */
int remap_create(remap_t* r, const long n[3], int from, int to);
void remap_destroy(remap_t* r);
long part_size(const part_t* p);
/* The part `which` of `parts` of a part, by its outermost axis; *before: elements before it. */
part_t part_cut(const part_t* p, int parts, int which, long* before);
/* Between a grid and a dense message. */
void part_pack(const part_t* p, const element_t* grid, element_t* message);
void part_unpack(const part_t* p, const element_t* message, element_t* grid);

#endif
