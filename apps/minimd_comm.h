/* What blocks of atoms tell each other: three passages, one along each axis, each with the blocks
 * below and above. Ghosts that came along one axis go on along the next. */
#ifndef MINIMD_COMM_H
#define MINIMD_COMM_H

#include <stddef.h>

#include "halo/halo.h"
#include "minimd_atoms.h"

/* One direction along an axis. */
typedef struct stream {
  int *list, sends, room; /* which atoms are ghosts over there */
  double shift;           /* added to what is sent, when it leaves the box */
  int first, comes;       /* the ghosts from there */
} stream_t;

typedef struct passage {
  halo_t* halo;
  size_t capacity;
  halo_link_t link[2];
  stream_t stream[2]; /* below, above */
} passage_t;

typedef struct comm {
  sync_how_t how;
  double reach; /* how far from my block I must see */
  passage_t passage[3];
} comm_t;

/* Collective. Non-zero: not enough memory. */
int comm_create(comm_t* c, const atoms_t* a, sync_how_t how, double reach);
void comm_destroy(comm_t* c);
/* Atoms that left my block go to the next. */
void comm_migrate(comm_t* c, atoms_t* a);
/* Finds out who is whose ghost, and makes the ghosts. */
void comm_borders(comm_t* c, atoms_t* a);
/* Where the ghosts are now. */
void comm_forward(comm_t* c, atoms_t* a);
/* A number of each of my atoms, as its ghosts elsewhere know it: value[mine], then value[ghosts], which are filled. */
void comm_forward_number(comm_t* c, double* value);

#endif
