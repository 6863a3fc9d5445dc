/* The interface of halo.c to OpenSHMEM or MPI. A halo has one block of memory, its room, that other PEs can access. The
 * room holds the messages of two turns, then the flags. A slot has a head, the message, and a tail: the head is its
 * size and turn, the tail is its turn again. So a message that was lost, repeated or cut off is noticed whatever its
 * numbers are. */
#ifndef HALO_TRANSPORT_H
#define HALO_TRANSPORT_H

#include "halo.h"

enum { slot_head = 64, slot_tail = sizeof(uint64_t) };

struct halo {
  sync_how_t how;
  int links, most_links; /* of this PE; the most of any PE */
  int slots, block;      /* slots of one turn; slots of one PE in an alltoall */
  halo_link_t* link;
  int *out_slot, *in_slot; /* of each link */
  size_t stride;           /* from slot to slot */
  uint64_t turn;           /* of the last send, from 1 */
  size_t in, out, words;   /* offsets in the room */
  char* room;
  void* transport; /* the transport's own data */
};

/* The flags of a halo: an array with one for each link. words_counted has one for each parity. */
enum { words_arrived, words_granted, words_counted };

static inline size_t halo_slot(const halo_t* h, size_t base, int slot) {
  return base + ((h->turn & 1) * (size_t)h->slots + (size_t)slot) * h->stride;
}
static inline size_t halo_word(const halo_t* h, int array, int index) {
  return h->words + ((size_t)array * (size_t)h->most_links + (size_t)index) * sizeof(uint64_t);
}
/* The bytes of a message in its slot, with head and tail. */
static inline size_t halo_length(const char* slot) {
  return slot_head + (size_t)*(const uint64_t*)(const void*)slot + slot_tail;
}
/* The number of exchanges with the parity of this one, itself included. */
static inline uint64_t halo_uses(const halo_t* h) { return (h->turn + 1) / 2; }

typedef struct transport_way {
  void (*send)(halo_t*);
  void (*wait)(halo_t*);
} transport_way_t;
/* A way without `wait` is not offered. */
extern const transport_way_t transport_ways[SYNCS];
extern const char* const transport_name;

/* Called before each put. After halo_delay it waits for a random time, so that a flag that is set too early shows. */
void halo_pause(void);

/* Collective: makes the room, which is zeroed on all PEs on return. Returns non-zero if there is not enough memory. */
int transport_open(halo_t* halo, size_t bytes);
void transport_close(halo_t* halo);

#endif
