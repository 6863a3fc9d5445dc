/* Neighbour lists: for each own atom the atoms within reach, valid until an atom has moved by half the skin.
 *
 * Full lists have each pair twice, once for each of its atoms. Half lists have it once: in the list of the lower atom,
 * by z, then y, then x. This decides also between an own atom and a ghost, in the same way on both PEs. */
#ifndef MINIMD_LISTS_H
#define MINIMD_LISTS_H

#include "minimd_atoms.h"

typedef enum lists_kind { LISTS_HALF, LISTS_FULL } lists_kind_t;

/* The values of --lists in the order of lists_kind_t, then NULL. */
extern const char* const lists_names[];

enum { most_near = 192 }; /* usual counts of full lists are 78 for lj and 107 for copper */

/* Bins cover this block and its ghosts, and are at least as wide as the reach. Those of one height are a layer. The
 * lists of the atoms of a layer have atoms of this layer and of the one above. With full lists also of the one below.
 */
typedef struct lists {
  lists_kind_t kind;
  double reach;
  int bins[3];
  vector_t bin_low, bin_scale;
  int *start, *layer;  /* the first member of each bin; the first own atom of each layer; and the end */
  int *bin, *member;   /* the bin of each atom and ghost; all atoms in the order of the bins */
  vector_t* place;     /* positions in that order */
  int *near, *count;   /* all lists; the length of each */
  long* first;         /* the place in `near` of each */
  int room, list_room; /* for atoms and ghosts; for lists */
  long pairs;          /* the lengths of all lists of this PE */
} lists_t;

void lists_create(lists_t* l, lists_kind_t kind, const atoms_t* a, double reach);
void lists_destroy(lists_t* l);
/* Sorts the own atoms by their bins, before the ghosts are made. */
void lists_sort(lists_t* l, atoms_t* a);
/* Uses all threads. */
void lists_make(lists_t* l, const atoms_t* a);

#endif
