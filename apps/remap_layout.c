#include "remap_layout.h"

#include <stdlib.h>
#include <string.h>

#include "halo/halo.h"

/* Arranges the PEs in rows and columns, as square as possible. */
static int columns(void) {
  int best = 1;
  for (int p = 1; p * p <= halo_pes(); p++)
    if (halo_pes() % p == 0) best = p;
  return best;
}

layout_t layout_of(const long n[3], int axis, int pe) {
  const int p = columns(), q = halo_pes() / p;
  const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  layout_t l = {.order = {axis, (axis + 1) % 3, (axis + 2) % 3}};
  l.high[axis] = n[axis];
  share(n[first], p, pe % p, &l.low[first], &l.high[first]);
  share(n[second], q, pe / p, &l.low[second], &l.high[second]);
  return l;
}

long layout_size(const layout_t* l) {
  long size = 1;
  for (int d = 0; d < 3; d++) size *= l->high[d] - l->low[d];
  return size;
}

/* The elements that both layouts have, as a part of layout `l`, with its axes listed in `order`. */
static part_t part_of(const layout_t* l, const layout_t* other, const int order[3]) {
  part_t p = {0};
  long stride[3], step = 1;
  for (int i = 0; i < 3; i++) {
    const int d = l->order[i];
    stride[d] = step;
    step *= l->high[d] - l->low[d];
  }
  for (int i = 0; i < 3; i++) {
    const int d = order[i];
    const long low = l->low[d] > other->low[d] ? l->low[d] : other->low[d];
    const long high = l->high[d] < other->high[d] ? l->high[d] : other->high[d];
    p.extent[i] = high > low ? high - low : 0;
    p.stride[i] = stride[d];
    p.offset += (low - l->low[d]) * stride[d];
  }
  if (part_size(&p) == 0) p = (part_t){.stride = {1, 1, 1}};
  return p;
}

static piece_t between(const long n[3], int from, int to, int me, int pe) {
  const layout_t mine = layout_of(n, from, me), mine_then = layout_of(n, to, me);
  const layout_t theirs = layout_of(n, from, pe), theirs_then = layout_of(n, to, pe);
  return (piece_t){.pe = pe,
                   .send = part_of(&mine, &theirs_then, mine_then.order),
                   .receive = part_of(&mine_then, &theirs, mine_then.order)};
}

static int related(const piece_t* p) { return part_size(&p->send) + part_size(&p->receive) > 0; }

/* The index of the piece for this PE among the pieces of PE `pe`. */
static int place_there(const long n[3], int from, int to, int pe) {
  int place = 0;
  for (int other = 0; other < halo_me(); other++) {
    const piece_t p = between(n, from, to, pe, other);
    place += related(&p);
  }
  return place;
}

int remap_create(remap_t* r, const long n[3], int from, int to) {
  *r = (remap_t){.piece = malloc((size_t)halo_pes() * sizeof *r->piece)};
  if (r->piece == NULL) return 1;
  for (int pe = 0; pe < halo_pes(); pe++) {
    piece_t p = between(n, from, to, halo_me(), pe);
    if (!related(&p)) continue;
    p.there = place_there(n, from, to, pe);
    r->piece[r->pieces++] = p;
  }
  return 0;
}

void remap_destroy(remap_t* r) { free(r->piece); }

/* ---- parts */

long part_size(const part_t* p) { return p->extent[0] * p->extent[1] * p->extent[2]; }

part_t part_cut(const part_t* p, int parts, int which, long* before) {
  long from, to;
  part_t cut = *p;
  share(p->extent[2], parts, which, &from, &to);
  cut.offset += from * p->stride[2];
  cut.extent[2] = to - from;
  *before = from * p->extent[0] * p->extent[1];
  return cut;
}

void part_pack(const part_t* p, const element_t* grid, element_t* message) {
  for (long k = 0; k < p->extent[2]; k++)
    for (long j = 0; j < p->extent[1]; j++) {
      const element_t* from = grid + p->offset + k * p->stride[2] + j * p->stride[1];
      for (long i = 0; i < p->extent[0]; i++) *message++ = from[i * p->stride[0]];
    }
}

/* The receiver's fastest axis comes first, so that rows are contiguous. */
void part_unpack(const part_t* p, const element_t* message, element_t* grid) {
  const size_t row = (size_t)p->extent[0];
  for (long k = 0; k < p->extent[2]; k++)
    for (long j = 0; j < p->extent[1]; j++, message += row) {
      element_t* to = grid + p->offset + k * p->stride[2] + j * p->stride[1];
      memcpy(to, message, row * sizeof *message);
    }
}
