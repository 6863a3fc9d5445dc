/* A team of threads that run one job at a time; the caller is thread 0. */
#ifndef HALO_THREADS_H
#define HALO_THREADS_H

typedef void (*thread_job_t)(int thread, void* of);

/* Non-zero when a thread cannot be started. */
int threads_start(int threads);
void threads_stop(void);
int threads_count(void);
/* Runs job(0 .. threads-1, of) and returns when all are done. */
void threads_run(thread_job_t job, void* of);
/* The part of 0 .. n-1 that one of `parts` has, the same on every PE: [*from, *to). */
void share(long n, int parts, int part, long* from, long* to);

#endif
