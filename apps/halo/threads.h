/* A team of threads that run one job at a time; the caller is thread 0. */
#ifndef HALO_THREADS_H
#define HALO_THREADS_H

#include <stdint.h>

typedef void (*thread_job_t)(int thread, void* of);

/* Returns non-zero if a thread cannot be started. */
int threads_start(int threads);
void threads_stop(void);
int threads_count(void);
/* Runs job(0 .. threads-1, of) and returns when all are done. */
void threads_run(thread_job_t job, void* of);
/* Sets [*from, *to) to part number `part` of `parts` of 0 .. n-1. The result is the same on every PE. */
void share(long n, int parts, int part, long* from, long* to);

/* The items of one thread that it has not done yet: next .. end-1. */
typedef struct range {
  long next, end;
} range_t;

/* Returns an array with one range for each thread, which the caller frees; NULL if there is not enough memory. */
range_t* ranges_create(void);
/* Splits 0 .. n-1 among the threads. */
void ranges_split(range_t* range, long n);

/* Adds to a word that several threads of this PE may add to at once. Returns the old value. */
static inline uint64_t threads_add(uint64_t* word, uint64_t value) {
  if (threads_count() > 1) return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
  const uint64_t old = *word;
  *word += value;
  return old;
}

#endif
