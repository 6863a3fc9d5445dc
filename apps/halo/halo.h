/* Repeated messages between neighbours, over OpenSHMEM or MPI, with every way to synchronise.
 *
 * All PEs create the same halos in the same order. Each exchange sends one message along every link
 * in both directions. Until the next exchange the program may read a message and pack the next one.
 * Each side uses two buffers in turn, so that a neighbour may be one exchange ahead.
 */
#ifndef HALO_H
#define HALO_H

#include <stddef.h>
#include <stdint.h>

#include "sync.h"
#include "threads.h"
#include "timers.h"

/* ---- the job */

/* Starts the transport, ready for calls from several threads at once when threads > 1. */
void halo_start(int threads);
/* Collective. */
void halo_end(void);
/* Ends the whole job at once. */
_Noreturn void halo_abort(int status);
int halo_me(void);
int halo_pes(void);
const char* halo_transport(void);
/* Bit `how` for each synchronisation that the transport offers. */
unsigned halo_offers(void);
/* To find races: from now on delays each send and wait by up to 200 us, at random, and overwrites messages that were
 * read before a PE may write there again. 0 ends this. */
void halo_delay(unsigned seed);

/* ---- collectives of all PEs; the result is the same on each, and from run to run */

void halo_barrier(void);
double halo_sum(double mine);
double halo_max(double mine);
uint64_t halo_sum_u64(uint64_t mine);
void halo_broadcast(void* data, size_t bytes, int root);

/* ---- exchanges */

/* A neighbour (a PE may be its own), and the index of its link that leads back to this one. */
typedef struct halo_link {
  int pe, there;
} halo_link_t;

typedef struct halo halo_t;

/* Collective. `capacity` is the most bytes of any message of any PE. NULL: not enough memory. */
halo_t* halo_create(sync_how_t how, int links, const halo_link_t* link, size_t capacity);
/* Collective. */
void halo_destroy(halo_t* halo);
/* The buffer into which the next message along a link is packed. */
void* halo_out(halo_t* halo, int link);
/* Sets the number of bytes of the next message. */
void halo_size(halo_t* halo, int link, size_t bytes);
/* Sends; the program may compute before it waits. */
void halo_send(halo_t* halo);
void halo_wait(halo_t* halo);
/* The message that came along a link. */
const void* halo_in(const halo_t* halo, int link, size_t* bytes);

#endif
