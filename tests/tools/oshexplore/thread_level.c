/* Two threads call the library. LEVEL: what the program asks for. LOCKED: one at a time. */
#include <pthread.h>
#include <shmem.h>

static long x[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* put(void* number) {
  const int mine = number != NULL;
#ifdef LOCKED
  pthread_mutex_lock(&mutex);
#endif
  shmem_long_p(&x[mine], 1, 0);
#ifdef LOCKED
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

int main(void) {
  int provided = 0;
  shmem_init_thread(LEVEL, &provided);
  pthread_t other;
  pthread_create(&other, NULL, put, &mutex);
  put(NULL);
  pthread_join(other, NULL);
  shmem_finalize();
  return 0;
}
