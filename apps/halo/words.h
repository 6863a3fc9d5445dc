/* Words that all PEs access one by one, for programs in the plain style: no messages, no packing. */
#ifndef HALO_WORDS_H
#define HALO_WORDS_H

#include <stdint.h>

typedef struct words words_t;

/* The name of this style as an app's own way (app_t.own_way); its number is SYNCS. */
const char* words_way(int index);

/* Collective: makes `each` words on each PE (the largest `each` counts), all zero. Returns NULL if there is not enough
 * memory. */
words_t* words_create(long each);
/* Collective. */
void words_destroy(words_t* words);
/* This PE's own words. It may access them directly between two calls of words_settle if no other PE does. */
uint64_t* words_mine(const words_t* words);
/* Collective: completes all earlier operations of all PEs and makes them visible to all PEs. */
void words_settle(const words_t* words);

/* Several threads may call these at once, each with its own number (threads.h). */

/* Around many updates, and reads by words_get_later, of which only the next words_settle shows the effect. */
void words_batch_begin(const words_t* words, int thread);
void words_batch_end(const words_t* words, int thread);

void words_put(const words_t* words, int thread, long at, int pe, uint64_t value);
uint64_t words_get(const words_t* words, int thread, long at, int pe);
/* The word is in *value after the next words_settle. No PE changes it before. */
void words_get_later(const words_t* words, int thread, long at, int pe, uint64_t* value);
/* Atomic. */
void words_add(const words_t* words, int thread, long at, int pe, uint64_t value);
void words_xor(const words_t* words, int thread, long at, int pe, uint64_t value);
uint64_t words_fetch_add(const words_t* words, int thread, long at, int pe, uint64_t value);

#endif
