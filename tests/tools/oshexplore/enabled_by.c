/* A wait that one of several events lets go. PE 0 prints what it sees then. */
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>
#include <stdio.h>

static int flags[3], one, two;
static long count, before;

#ifdef SEMAPHORE
static sem_t semaphore;

static void* post(void* value) {
  *(int*)value = 1;
  sem_post(&semaphore);
  return NULL;
}

static void run(int me) {
  (void)me;
  pthread_t threads[2];
  sem_init(&semaphore, 0, 0);
  pthread_create(&threads[0], NULL, post, &one);
  pthread_create(&threads[1], NULL, post, &two);
  sem_wait(&semaphore);
  const int first = one, second = two;
  printf("%d %d\n", first, second);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
#endif

#ifdef ANY
static void run(int me) { /* of two flags */
  if (me > 0)
    shmem_int_atomic_set(&flags[me], 1, 0);
  else
    printf("%zu\n", shmem_int_wait_until_any(flags, 3, NULL, SHMEM_CMP_EQ, 1));
}
#endif

#ifdef COUNT
static void run(int me) { /* additions, which commute */
  if (me > 0) {
    shmem_int_p(me == 1 ? &one : &two, 1, 0);
    shmem_fence();
    shmem_long_atomic_inc(&count, 0);
  } else {
    shmem_long_wait_until(&count, SHMEM_CMP_GE, 1);
    const int first = one, second = two;
    printf("%d %d\n", first, second);
  }
}
#endif

#ifdef SIGNAL
static uint64_t arrived;

static void run(int me) { /* the second of two signals may come first */
  if (me == 1) {
    const int value = 1;
    shmem_int_put_signal(&one, &value, 1, &arrived, 1, SHMEM_SIGNAL_ADD, 0);
    shmem_int_put_signal(&two, &value, 1, &arrived, 1, SHMEM_SIGNAL_ADD, 0);
  } else if (me == 0) {
    shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, 1);
    const int first = one, second = two;
    printf("%d %d\n", first, second);
  }
}
#endif

#ifdef FENCE
static void run(int me) { /* an atomic that waits for a put, and not for the other atomic */
  if (me == 0) {
    shmem_long_p(&before, 1, 1);
    shmem_fence();
  }
  const long old = shmem_long_atomic_fetch_inc(&count, 1);
  if (me == 0) printf("%ld\n", old);
}
#endif

int main(void) {
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  run(shmem_my_pe());
  shmem_finalize();
  return 0;
}
