// quiet and fence complete or order what was issued before them. A thread that goes on issuing operations on the same
// context does not keep them from returning: here it goes on until they have returned.
#include <stdatomic.h>

#include "threads.h"

enum { rounds = 3, bytes = 16384 };

static char window[bytes];
static uint64_t signal_word;
static long word;
static atomic_int done;
static int size_of_put;

static void* put_until_done(void* unused) {
  static char source[bytes];
  const int pe = (shmem_my_pe() + 1) % shmem_n_pes();
  for (int i = 0; !atomic_load(&done); i++) {
    shmem_putmem_nbi(window, source, (size_t)size_of_put, pe);
    if (i % 8 == 0) shmem_putmem_signal_nbi(window, source, 64, &signal_word, 1, SHMEM_SIGNAL_ADD, pe);
  }
  return unused;
}

int main(void) {
  init_multiple();
  const int pe = (shmem_my_pe() + 1) % shmem_n_pes();
  const int sizes[] = {8, 4096, bytes};
  for (size_t s = 0; s < LENGTH(sizes); s++) {
    pthread_t other;
    atomic_store(&done, 0);
    size_of_put = sizes[s];
    shmem_barrier_all();
    CHECK(pthread_create(&other, NULL, put_until_done, NULL) == 0, "pthread_create");
    for (long i = 1; i <= rounds; i++) {
      const long value = (long)(s * rounds) + i;
      shmem_long_p(&word, value, pe);
      shmem_fence();
      shmem_quiet();
      const long seen = shmem_long_g(&word, pe);
      CHECK(seen == value, "%ld after quiet, expected %ld", seen, value);
    }
    atomic_store(&done, 1);
    pthread_join(other, NULL);
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
