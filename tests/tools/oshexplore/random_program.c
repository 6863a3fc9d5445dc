/* A program that is given as words, the same on each PE: random_program "PE 0" "PE 1" ... Each word is a step: its
 * letter, the variable a (of PE 0) or b (of PE 1), and a value. After a | come the steps of a second thread of the PE.
 * Prints what was read, and the variables at the end. */
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long a, b, locks[2];
static uint64_t signals[2];
static int arrivals[8]; /* on each PE, of each PE */
static const long values[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

/* Accesses of these functions are no steps. */
#define QUIET __attribute__((noinline, no_sanitize("thread")))

typedef struct {
  long value[32];
  int n;
} seen_t;

QUIET static void see(seen_t* seen, long value) { seen->value[seen->n++] = value; }

__attribute__((noinline)) static void writes(char what, long* to, long value, int home) {
  switch (what) {
    case 'p': shmem_long_p(to, value, home); break;
    case 'n': shmem_long_put_nbi(to, &values[value], 1, home); break;
    case 's': shmem_long_atomic_set(to, value, home); break;
    case 'i': shmem_long_atomic_inc(to, home); break;
    case 'h': shmem_long_put_signal(to, &values[value], 1, &signals[home], 1, SHMEM_SIGNAL_ADD, home); break;
    case 'A': shmem_int_atomic_set(&arrivals[shmem_my_pe()], 1, home); break;
    case 'S': *(volatile long*)to = value; break;
    default: break;
  }
}

__attribute__((noinline)) static void reads(seen_t* seen, char what, long* from, long value, int home) {
  switch (what) {
    case 'g': see(seen, shmem_long_g(from, home)); break;
    case 'e': see(seen, shmem_long_atomic_fetch(from, home)); break;
    case 'f': see(seen, shmem_long_atomic_fetch_inc(from, home)); break;
    case 'c': see(seen, shmem_long_atomic_compare_swap(from, 0, value, home)); break;
    case 'l': see(seen, *(volatile long*)from); break;
    case 't': see(seen, shmem_long_test(from, SHMEM_CMP_NE, 0)); break;
    case 'z': see(seen, (long)shmem_signal_fetch(&signals[home])); break;
    case 'r': see(seen, (long)shmem_signal_wait_until(&signals[home], SHMEM_CMP_GE, (uint64_t)value)); break;
    case 'y': see(seen, (long)shmem_int_wait_until_any(arrivals, (size_t)shmem_n_pes(), NULL, SHMEM_CMP_NE, 0)); break;
    default: break;
  }
}

static int private_value, turns; /* of the threads of a PE */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

__attribute__((noinline)) static void threads(seen_t* seen, char what, long value) {
  switch (what) {
    case 'M': pthread_mutex_lock(&mutex); break;
    case 'm': pthread_mutex_unlock(&mutex); break;
    case 'V': private_value = private_value * 4 + (int)value; break;
    case 'v': see(seen, private_value); break;
    case 'O': sem_post(&semaphore); break;
    case 'o': sem_wait(&semaphore); break;
    case 'C': /* tells the other thread, or waits for it */
      pthread_mutex_lock(&mutex);
      ++turns;
      pthread_cond_signal(&condition);
      if (value > 1)
        while (turns < 2) pthread_cond_wait(&condition, &mutex);
      pthread_mutex_unlock(&mutex);
      break;
    default: break;
  }
}

__attribute__((noinline)) static void orders(char what, long* object, long value) {
  switch (what) {
    case 'F': shmem_fence(); break;
    case 'Q': shmem_quiet(); break;
    case 'B': shmem_barrier_all(); break;
    case 'Y': shmem_sync_all(); break;
    case 'L': shmem_set_lock(&locks[value]); break;
    case 'U': shmem_clear_lock(&locks[value]); break;
    case 'w': shmem_long_wait_until(object, SHMEM_CMP_NE, 0); break;
    case 'W': shmem_long_wait_until(object, SHMEM_CMP_GE, value); break;
    case 'G': shmem_int_wait_until_all(arrivals, (size_t)value, NULL, SHMEM_CMP_NE, 0); break;
    default: break;
  }
}

typedef struct {
  const char* words;
  seen_t seen;
} part_t;

QUIET static void* run(void* of) {
  part_t* part = of;
  seen_t seen = {.n = 0};
  for (const char* word = part->words; *word != '\0' && *word != '|';
       word += strcspn(word, " "), word += strspn(word, " ")) {
    const int home = word[1] == 'b';
    long* const object = home ? &b : &a;
    const long value = word[2] - '0';
    writes(word[0], object, value, home);
    reads(&seen, word[0], object, value, home);
    orders(word[0], object, value);
    threads(&seen, word[0], value);
    const int is_other = seen.n > 0 && seen.value[seen.n - 1] != value;
    if (word[0] == 'k' && is_other)
      word += strcspn(word, " "), word += strspn(word, " "); /* leaves out the next step */
    if (word[0] == 'x' && seen.n > 0 && seen.value[seen.n - 1] == value) exit(3);
  }
  part->seen = seen;
  return NULL;
}

QUIET static void print(const seen_t* seen) {
  for (int i = 0; i < seen->n; i++) printf("%ld ", seen->value[i]);
}

QUIET int main(int argc, char** argv) {
  int provided;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  const int me = shmem_my_pe();
  if (argc != shmem_n_pes() + 1) return 2;
  const char* const bar = strchr(argv[1 + me], '|');
  part_t first = {.words = argv[1 + me]}, second = {.words = bar == NULL ? "" : bar + 2};
  pthread_t other;
  sem_init(&semaphore, 0, 0);
  if (bar != NULL) pthread_create(&other, NULL, run, &second);
  run(&first);
  if (bar != NULL) pthread_join(other, NULL);
  shmem_barrier_all();
  print(&first.seen);
  print(&second.seen);
  if (me < 2) printf("%c=%ld", 'a' + me, me ? b : a);
  shmem_finalize();
  return 0;
}
