#include "halo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "transport.h"

/* ---- to find races */

static unsigned delay_seed;             /* 0: no delays */
static _Thread_local unsigned position; /* in the sequence of this thread's delays */

void halo_delay(unsigned seed) { delay_seed = seed == 0 ? 0 : seed * 2654435761u + (unsigned)halo_me() + 1; }

void halo_pause(void) {
  if (delay_seed == 0) return;
  position = (position + delay_seed) * 1664525u + 1013904223u;
  const struct timespec pause = {0, (long)(position >> 8) % 200000};
  nanosleep(&pause, NULL);
}

/* Overwrites the messages of the last exchange, so that a late read of them shows. The program has read them, and no
 * PE writes there before this one sends again. */
static void poison(const halo_t* h) {
  if (delay_seed == 0 || h->turn == 0) return;
  for (int k = 0; k < h->links; k++) memset(h->room + halo_slot(h, h->in, h->in_slot[k]), 0xA5, h->stride);
}

/* ---- layout */

/* In an alltoall the slots for one PE are contiguous, in the order of the sender's links to it. My links to q are q's
 * links to me, so that both PEs can compute the order. */
static void place(halo_t* h) {
  for (int k = 0; k < h->links; k++) {
    h->out_slot[k] = h->in_slot[k] = k;
    if (h->how != SYNC_COLL) continue;
    h->out_slot[k] = h->in_slot[k] = h->link[k].pe * h->block;
    for (int j = 0; j < h->links; j++) {
      if (h->link[j].pe != h->link[k].pe) continue;
      h->out_slot[k] += j < k;
      h->in_slot[k] += h->link[j].there < h->link[k].there;
    }
  }
}

static int most_to_one(int links, const halo_link_t* link) {
  int most = 0;
  for (int k = 0; k < links; k++) {
    int same = 0;
    for (int j = 0; j < links; j++) same += link[j].pe == link[k].pe;
    if (same > most) most = same;
  }
  return most;
}

halo_t* halo_create(sync_how_t how, int links, const halo_link_t* link, size_t capacity) {
  halo_t* h = calloc(1, sizeof *h);
  if (h == NULL) halo_abort(3);
  const size_t n = (size_t)links + 1;
  h->how = how;
  h->links = links;
  h->link = malloc(n * sizeof *h->link);
  h->out_slot = malloc(n * sizeof(int));
  h->in_slot = malloc(n * sizeof(int));
  if (h->link == NULL || h->out_slot == NULL || h->in_slot == NULL) halo_abort(3);
  if (links > 0) memcpy(h->link, link, (size_t)links * sizeof *link);
  h->most_links = (int)halo_max(links > 2 ? links : 2);
  h->block = (int)halo_max(most_to_one(links, link));
  h->slots = how == SYNC_COLL ? h->block * halo_pes() : h->most_links;
  h->stride = ((size_t)halo_max((double)capacity) + slot_head + slot_tail + 63) / 64 * 64;
  place(h);
  h->out = 2 * (size_t)h->slots * h->stride;
  h->words = 2 * h->out;
  /* Rounded up to whole cache lines: MPICH 4.0 misplaces the windows of other processes when a size is no multiple of
   * 16. */
  const size_t words = 3 * (size_t)h->most_links * sizeof(uint64_t);
  if (transport_open(h, h->words + (words + 63) / 64 * 64) == 0) return h;
  free(h->link), free(h->out_slot), free(h->in_slot), free(h);
  return NULL;
}

void halo_destroy(halo_t* h) {
  transport_close(h);
  free(h->link), free(h->out_slot), free(h->in_slot), free(h);
}

unsigned halo_offers(void) {
  unsigned set = 0;
  for (unsigned how = 0; how < SYNCS; how++)
    if (transport_ways[how].wait != NULL) set |= 1u << how;
  return set;
}

const char* halo_transport(void) { return transport_name; }

/* ---- one exchange */

/* The next message has the other parity than the last one. */
static char* next_out(halo_t* h, int k) {
  const size_t parity = (h->turn + 1) & 1;
  return h->room + h->out + (parity * (size_t)h->slots + (size_t)h->out_slot[k]) * h->stride;
}

void* halo_out(halo_t* h, int k) { return next_out(h, k) + slot_head; }

void halo_size(halo_t* h, int k, size_t bytes) { *(uint64_t*)(void*)next_out(h, k) = bytes; }

static void number_messages(halo_t* h) {
  for (int k = 0; k < h->links; k++) {
    char* slot = h->room + halo_slot(h, h->out, h->out_slot[k]);
    memcpy(slot + sizeof(uint64_t), &h->turn, sizeof h->turn);
    memcpy(slot + halo_length(slot) - slot_tail, &h->turn, slot_tail);
  }
}

void halo_send(halo_t* h) {
  const phase_t before = timers_enter(PHASE_EXCHANGE);
  halo_pause();
  poison(h);
  h->turn++;
  number_messages(h);
  if (transport_ways[h->how].send != NULL) transport_ways[h->how].send(h);
  timers_enter(before);
}

_Noreturn static void report(const halo_t* h, int k, const char* what, uint64_t found, const char* expected) {
  fprintf(stderr, "halo: PE %d: --sync %s: message %llu from PE %d %s %llu: %s\n", halo_me(), sync_name(h->how),
          (unsigned long long)h->turn, h->link[k].pe, what, (unsigned long long)found, expected);
  halo_abort(4);
}

/* With the size of an incomplete message the reader would run out of bounds. */
static void check(const halo_t* h) {
  for (int k = 0; k < h->links; k++) {
    const char* slot = h->room + halo_slot(h, h->in, h->in_slot[k]);
    uint64_t bytes, turn;
    memcpy(&bytes, slot, sizeof bytes);
    if (bytes > h->stride - slot_head - slot_tail)
      report(h, k, "has an impossible size,", bytes, "read before it came, or overwritten");
    memcpy(&turn, slot + sizeof bytes, sizeof turn);
    if (turn != h->turn) report(h, k, "has the number", turn, "it was lost, or overwritten by an old one");
    memcpy(&turn, slot + slot_head + bytes, sizeof turn);
    if (turn != h->turn) report(h, k, "ends with the number", turn, "its end is missing");
  }
}

void halo_wait(halo_t* h) {
  const phase_t before = timers_enter(PHASE_WAIT);
  transport_ways[h->how].wait(h);
  halo_pause();
  check(h);
  timers_enter(before);
}

const void* halo_in(const halo_t* h, int k, size_t* bytes) {
  const char* slot = h->room + halo_slot(h, h->in, h->in_slot[k]);
  if (bytes != NULL) *bytes = halo_length(slot) - slot_head - slot_tail;
  return slot + slot_head;
}
