#include <shmem.h>
#include <stdlib.h>

#include "shmem_1_4.h"
#include "transport.h"
#include "words.h"

struct words {
  uint64_t* mine;
  int threads;
  shmem_ctx_t* context; /* of each thread; a thread that is alone has the default one */
};

const char* words_way(int index) { return index == 0 ? "plain" : NULL; }

static void make_contexts(words_t* words) {
  words->threads = threads_count();
  words->context = malloc((size_t)words->threads * sizeof *words->context);
  if (words->context == NULL) halo_abort(3);
  for (int t = 0; t < words->threads; t++)
    if (words->threads == 1 || shmem_ctx_create(SHMEM_CTX_SERIALIZED, &words->context[t]) != 0)
      words->context[t] = SHMEM_CTX_DEFAULT;
}

static void end_contexts(words_t* words) {
  for (int t = 0; t < words->threads; t++)
    if (words->context[t] != SHMEM_CTX_DEFAULT) shmem_ctx_destroy(words->context[t]);
  free(words->context);
}

words_t* words_create(long each) {
  words_t* words = malloc(sizeof *words);
  if (words == NULL) halo_abort(3);
  words->mine = shmem_calloc((size_t)halo_max((double)each) + 1, sizeof(uint64_t));
  shmem_barrier_all(); /* Open MPI 4.1 zeroes the memory after the barrier in its calloc */
  if (words->mine != NULL) return make_contexts(words), words;
  free(words);
  return NULL;
}

void words_destroy(words_t* words) {
  end_contexts(words);
  shmem_barrier_all();
  shmem_free(words->mine);
  free(words);
}

uint64_t* words_mine(const words_t* words) { return words->mine; }

void words_settle(const words_t* words) {
  const phase_t before = timers_enter(PHASE_WAIT);
  halo_pause();
  for (int t = 0; t < words->threads; t++)
    if (words->context[t] != SHMEM_CTX_DEFAULT) shmem_ctx_quiet(words->context[t]);
  shmem_barrier_all(); /* completes the operations of the default context only */
  timers_enter(before);
}

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION > 5
void words_batch_begin(const words_t* words, int thread) {
  shmem_ctx_session_start(words->context[thread], SHMEM_CTX_SESSION_BATCH, NULL, 0);
}
void words_batch_end(const words_t* words, int thread) { shmem_ctx_session_stop(words->context[thread]); }
#else
void words_batch_begin(const words_t* words, int thread) { (void)words, (void)thread; }
void words_batch_end(const words_t* words, int thread) { (void)words, (void)thread; }
#endif

void words_put(const words_t* words, int thread, long at, int pe, uint64_t value) {
  shmem_ctx_uint64_p(words->context[thread], words->mine + at, value, pe);
}

uint64_t words_get(const words_t* words, int thread, long at, int pe) {
  return shmem_ctx_uint64_g(words->context[thread], words->mine + at, pe);
}

void words_get_later(const words_t* words, int thread, long at, int pe, uint64_t* value) {
  shmem_ctx_uint64_get_nbi(words->context[thread], value, words->mine + at, 1, pe);
}

void words_add(const words_t* words, int thread, long at, int pe, uint64_t value) {
  shmem_ctx_uint64_atomic_add(words->context[thread], words->mine + at, value, pe);
}

void words_xor(const words_t* words, int thread, long at, int pe, uint64_t value) {
  shmem_ctx_uint64_atomic_xor(words->context[thread], words->mine + at, value, pe);
}

uint64_t words_fetch_add(const words_t* words, int thread, long at, int pe, uint64_t value) {
  return shmem_ctx_uint64_atomic_fetch_add(words->context[thread], words->mine + at, value, pe);
}
