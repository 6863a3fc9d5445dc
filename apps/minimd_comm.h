/* The communication between blocks of atoms: three passages, one along each axis, each with the blocks below and
 * above. Ghosts that arrive along one axis are forwarded along the next. Forces on ghosts go back the same way, in the
 * opposite order. */
#ifndef MINIMD_COMM_H
#define MINIMD_COMM_H

#include <stddef.h>

#include "halo/halo.h"
#include "minimd_atoms.h"

/* One direction along an axis. */
typedef struct stream {
  int *list, sends, room; /* the atoms that are ghosts on the other PE */
  double shift;           /* added to positions that leave the periodic box */
  int first, comes;       /* the ghosts that come from the other PE */
} stream_t;

typedef struct passage {
  halo_t* halo;
  size_t capacity;
  halo_link_t link[2];
  stream_t stream[2]; /* below, above */
} passage_t;

typedef struct comm {
  sync_how_t how;
  double reach;   /* the distance from the block within which ghosts are needed */
  int above_only; /* no ghosts below the block, along the last axis: half lists would not have them */
  passage_t passage[3];
} comm_t;

/* Collective. Returns non-zero if there is not enough memory. */
int comm_create(comm_t* c, const atoms_t* a, sync_how_t how, double reach, int above_only);
void comm_destroy(comm_t* c);
/* Sends the atoms that left this block to the next blocks. */
void comm_migrate(comm_t* c, atoms_t* a);
/* Chooses the atoms that are ghosts on other PEs, and makes the ghosts. */
void comm_borders(comm_t* c, atoms_t* a);
/* Updates the positions of the ghosts. */
void comm_forward(comm_t* c, atoms_t* a);
/* Sends one number of each own atom to its ghosts: `value` has the numbers of own atoms, and receives those of ghosts
 * behind them. */
void comm_forward_number(comm_t* c, double* value);
/* Adds the forces on ghosts to those on the atoms themselves, on the PEs that own them. */
void comm_reverse(comm_t* c, atoms_t* a);
/* Does the same with one number of each atom and ghost. */
void comm_reverse_number(comm_t* c, double* value);

#endif
