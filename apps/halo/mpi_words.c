#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "transport.h"
#include "words.h"

enum { most_gets = 1024 }; /* of one thread in flight: an MPI library stores each until the flush */

struct words {
  MPI_Win window;
  uint64_t* mine;
};

const char* words_way(int index) { return index == 0 ? "plain" : NULL; }

/* The window has an even number of words: MPICH 4.0 misplaces the windows of other processes when a size is no
 * multiple of 16 bytes. */
words_t* words_create(long each) {
  words_t* words = malloc(sizeof *words);
  if (words == NULL) halo_abort(3);
  const size_t bytes = ((size_t)halo_max((double)each) / 2 + 1) * 2 * sizeof(uint64_t);
  MPI_Win_allocate((MPI_Aint)bytes, sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &words->mine, &words->window);
  memset(words->mine, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, words->window);
  return words;
}

void words_destroy(words_t* words) {
  MPI_Win_unlock_all(words->window);
  MPI_Win_free(&words->window);
  free(words);
}

uint64_t* words_mine(const words_t* words) { return words->mine; }

void words_settle(const words_t* words) {
  const phase_t before = timers_enter(PHASE_WAIT);
  halo_pause();
  MPI_Win_flush_all(words->window);
  MPI_Win_sync(words->window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(words->window);
  timers_enter(before);
}

void words_batch_begin(const words_t* words, int thread) { (void)words, (void)thread; }
void words_batch_end(const words_t* words, int thread) { (void)words, (void)thread; }

/* The value is on this stack, so that the operation must be locally complete before the call returns. */
static void update(const words_t* words, long at, int pe, uint64_t value, MPI_Op operation) {
  MPI_Accumulate(&value, 1, MPI_UINT64_T, pe, (MPI_Aint)at, 1, MPI_UINT64_T, operation, words->window);
  MPI_Win_flush_local(pe, words->window);
}

static uint64_t fetch(const words_t* words, long at, int pe, uint64_t value, MPI_Op operation) {
  uint64_t old = 0;
  MPI_Fetch_and_op(&value, &old, MPI_UINT64_T, pe, (MPI_Aint)at, operation, words->window);
  MPI_Win_flush(pe, words->window);
  return old;
}

void words_put(const words_t* words, int thread, long at, int pe, uint64_t value) {
  (void)thread;
  update(words, at, pe, value, MPI_REPLACE);
}

uint64_t words_get(const words_t* words, int thread, long at, int pe) {
  (void)thread;
  return fetch(words, at, pe, 0, MPI_NO_OP);
}

void words_get_later(const words_t* words, int thread, long at, int pe, uint64_t* value) {
  static _Thread_local int started;
  (void)thread;
  MPI_Get(value, 1, MPI_UINT64_T, pe, (MPI_Aint)at, 1, MPI_UINT64_T, words->window);
  if (++started % most_gets == 0) MPI_Win_flush_all(words->window);
}

void words_add(const words_t* words, int thread, long at, int pe, uint64_t value) {
  (void)thread;
  update(words, at, pe, value, MPI_SUM);
}

void words_xor(const words_t* words, int thread, long at, int pe, uint64_t value) {
  (void)thread;
  update(words, at, pe, value, MPI_BXOR);
}

uint64_t words_fetch_add(const words_t* words, int thread, long at, int pe, uint64_t value) {
  (void)thread;
  return fetch(words, at, pe, value, MPI_SUM);
}
