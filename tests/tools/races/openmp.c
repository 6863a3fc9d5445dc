// Races between threads of OpenMP on symmetric memory, and for each a twin that is right.
// usage: openmp NAME wrong|right
#include <omp.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { n = 64, threads = 3 };
static long data[n], sum;
static bool right;

// A parallel region is over when the first thread goes on. In it all threads share what is before.
static void region(void) {
  data[0] = 1;
#pragma omp parallel for schedule(static)
  for (int i = 1; i < n; ++i) data[i] = data[right ? 0 : i - 1];  // in the wrong form also of the thread before
  sum = data[n - 1];
}

// A worksharing loop ends with a barrier, unless it says nowait.
static void loop(void) {
#pragma omp parallel
  {
    const int i = omp_get_thread_num();
    data[i] = i;
    if (right) {
#pragma omp barrier
    }
    data[n / 2 + i] = data[(i + 1) % threads];
#pragma omp barrier
#pragma omp for
    for (int k = 0; k < n; ++k) data[k] = k;
    if (data[n - 1 - i] != n - 1 - i) puts("wrong");
  }
}

static void critical(void) {
#pragma omp parallel
  {
    if (right || omp_get_thread_num() != 0) {
#pragma omp critical
      ++sum;
    } else {
      ++sum;
    }
#pragma omp barrier
#pragma omp single
    data[0] = sum;
    data[1 + omp_get_thread_num()] = data[0];
  }
}

static void locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  long total = 0;
#pragma omp parallel reduction(+ : total)
  {
    if (right) omp_set_lock(&lock);
    total += ++sum;
    if (right) omp_unset_lock(&lock);
#pragma omp atomic
    ++data[0];
  }
  data[1] = data[0] + total;
  omp_destroy_lock(&lock);
}

// Tasks are not followed: threads count as one from the first task on.
static void tasks(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
#pragma omp task
      data[i] = i;
    }
#pragma omp taskwait
    sum = data[1];
  }
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"region", region}, {"loop", loop}, {"critical", critical}, {"locks", locks}, {"tasks", tasks}};

int main(int argc, char** argv) {
  int provided;
  omp_set_num_threads(threads);
  shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
  right = argc == 3 && strcmp(argv[2], "right") == 0;
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
      if (argc == 3 && strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
    shmem_barrier_all();
  }
  if (shmem_my_pe() == 0) puts("done");
  shmem_finalize();
  return 0;
}
