/* What halo.c asks of OpenSHMEM or MPI. A halo lives in one room that others reach: messages, each
 * in a slot behind its size, for two turns; then words to wait for. */
#ifndef HALO_TRANSPORT_H
#define HALO_TRANSPORT_H

#include "halo.h"

enum { slot_head = 64 };

struct halo {
  sync_how_t how;
  int links, most_links; /* mine, and of any PE */
  int slots, block;      /* of one turn; of one PE in an alltoall */
  halo_link_t* link;
  int *out_slot, *in_slot; /* of each link */
  size_t stride;           /* from slot to slot */
  uint64_t turn;           /* of the last send, from 1 */
  size_t in, out, words;   /* offsets in the room */
  char* room;
  void* transport; /* what the transport keeps */
};

/* The words of a halo, each an array with one for each link, `counted` with one for each parity. */
enum { words_arrived, words_granted, words_counted };

static inline size_t halo_slot(const halo_t* h, size_t base, int slot) {
  return base + ((h->turn & 1) * (size_t)h->slots + (size_t)slot) * h->stride;
}
static inline size_t halo_word(const halo_t* h, int array, int index) {
  return h->words + ((size_t)array * (size_t)h->most_links + (size_t)index) * sizeof(uint64_t);
}
/* The bytes of a message in its slot, head included. */
static inline size_t halo_length(const char* slot) { return slot_head + (size_t)*(const uint64_t*)(const void*)slot; }
/* How many exchanges have had the parity of this one, itself included. */
static inline uint64_t halo_uses(const halo_t* h) { return (h->turn + 1) / 2; }

typedef struct transport_way {
  void (*send)(halo_t*);
  void (*wait)(halo_t*);
} transport_way_t;
/* Without `wait`: not offered. */
extern const transport_way_t transport_ways[SYNCS];
extern const char* const transport_name;

/* Waits a while, if races are looked for: before each put, so that a flag set too early shows. */
void halo_pause(void);

/* Collective: the room, zeroed on all PEs when it returns. Non-zero: not enough memory. */
int transport_open(halo_t* halo, size_t bytes);
void transport_close(halo_t* halo);

#endif
