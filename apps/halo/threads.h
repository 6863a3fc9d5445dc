/* A team of threads that run one job at a time; the caller is thread 0. */
#ifndef HALO_THREADS_H
#define HALO_THREADS_H

typedef void (*thread_job_t)(int thread, void* of);

/* Returns non-zero if a thread cannot be started. */
int threads_start(int threads);
void threads_stop(void);
int threads_count(void);
/* Runs job(0 .. threads-1, of) and returns when all are done. */
void threads_run(thread_job_t job, void* of);
/* Sets [*from, *to) to part number `part` of `parts` of 0 .. n-1. The result is the same on every PE. */
void share(long n, int parts, int part, long* from, long* to);

#endif
